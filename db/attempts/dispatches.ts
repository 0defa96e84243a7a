import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { newId } from '../../domain/ids.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import type { RequesterStanding } from '../../domain/invocations/requester.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { AttemptStatus, Outcome } from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { IS_REQUESTING_GRANT } from '../invocations/locks.ts';
import { type ActorRecord, REQUESTED_BY } from '../invocations/records.ts';

/**
 * Writes the fence: inserts the attempt row, `started`, and moves invocation and effect to `dispatching`. It commits before a
 * byte is sent. The caller holds the invocation's row lock. The versions of the secrets are stored, because a replay must use the
 * same. `verdict`: of the policies; an invocation keeps the first one.
 */
export async function startDispatch(
  tx: EnvironmentTransaction,
  invocationId: string,
  secretNames: readonly string[],
  verdict: PolicyVerdict | null = null,
): Promise<string> {
  const attemptId = newId('attempt');
  await tx.raw(
    'start_dispatch',
    `WITH attempt AS (
       INSERT INTO attempts (id, environment_id, invocation_id, number, kind, secret_versions)
       SELECT :attemptId, current_environment_id(), :invocationId, 1, 'dispatch', COALESCE(jsonb_object_agg(name, current_version), '{}')
       FROM secrets WHERE name = ANY(:secretNames) AND deleted_at IS NULL),
     effect AS (
       UPDATE effects SET stage = 'dispatching', outcome = 'pending', first_dispatched_at = now(), updated_at = now()
       WHERE invocation_id = :invocationId)
     UPDATE invocations SET status = 'dispatching', decision = COALESCE(decision, CAST(:decision AS jsonb)), evaluated_at = COALESCE(evaluated_at, now()), updated_at = now()
     WHERE id = :invocationId`,
    { attemptId, invocationId, secretNames: [...secretNames], decision: verdict === null ? null : decisionOf(verdict) },
  );
  return attemptId;
}

export interface ClaimedDispatch {
  attemptId: string;
  invocationId: string;
  effectId: string | null;
  operationKey: string;
  input: JsonObject;
  definition: ActionDefinition;
  /** The digest that the effect is bound to, or the preview of an approved plain invocation; null where nothing is bound. */
  requestDigest: string | null;
  /** The secret versions, by name, that the preview (for a replay, the first request) is bound to; null where none are. */
  boundSecretVersions: Record<string, number> | null;
}

/** The claim of a first request, and whether its requester may still act. */
export interface ClaimedFirstDispatch extends ClaimedDispatch {
  requestedBy: ActorRecord;
  standing: RequesterStanding;
}

/**
 * Claims the one dispatch of an invocation. Only the first claim gets it: any later caller (a retried task, a second worker,
 * a replayed message) gets null and must not send.
 *
 * The requester's credential is read and not locked: a revocation that was answered before is seen, and one that is under way
 * may come after the dispatch.
 */
export async function claimDispatch(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<ClaimedFirstDispatch | null> {
  return tx.row<ClaimedFirstDispatch>(
    'claim_dispatch',
    `WITH claimed AS (
       UPDATE attempts SET claimed_at = now()
       WHERE invocation_id = :invocationId AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL
         -- Before a failover that lost commits it may have been claimed, and sent.
         AND NOT (SELECT is_recovered(r.timeline) FROM invocations r WHERE r.id = :invocationId)
       RETURNING id)
     SELECT c.id AS "attemptId", i.id AS "invocationId", i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input,
       v.definition, COALESCE(e.request_digest, p.request_digest) AS "requestDigest", p.preconditions -> 'secretVersions' AS "boundSecretVersions",
       ${REQUESTED_BY}, CASE
         WHEN i.requested_by ->> 'type' = 'api_key' AND NOT EXISTS (
           SELECT FROM api_keys k WHERE k.id = i.requested_by ->> 'id' AND k.revoked_at IS NULL) THEN 'key_revoked'
         WHEN (i.requested_by ->> 'type' <> 'api_key' OR i.requested_by ->> 'memberId' IS NOT NULL) AND NOT EXISTS (
           SELECT FROM members m WHERE m.workspace_id = current_workspace_id() AND m.user_id = i.requested_by ->> 'memberId'
             AND m.created_at <= i.created_at) THEN 'member_removed'
         WHEN i.requested_by ->> 'clientId' IS NOT NULL AND NOT EXISTS (
           SELECT FROM oauth_grants g WHERE g.environment_id = i.environment_id AND g.ended_at IS NULL AND ${IS_REQUESTING_GRANT}) THEN 'app_disconnected'
         ELSE 'stands' END AS standing
     FROM claimed c JOIN invocations i ON i.id = :invocationId JOIN action_versions v ON v.id = i.version_id
       LEFT JOIN effects e ON e.invocation_id = :invocationId LEFT JOIN previews p ON p.id = i.preview_id`,
    { invocationId },
  );
}

/** True while the one dispatch of an invocation is neither claimed nor abandoned. Takes no lock. */
export async function isDispatchUnclaimed(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'is_dispatch_unclaimed',
    `SELECT 1 FROM attempts WHERE invocation_id = ? AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL`,
    [invocationId],
  );
  return rows.length > 0;
}

/**
 * How the one dispatch of an invocation stands: claimed by nobody, or how long its call may still last, if it lasts `callMs` at most
 * from its claim. 0 where it has ended.
 */
export async function readCallUnderWay(
  tx: EnvironmentTransaction,
  invocationId: string,
  callMs: number,
): Promise<'unclaimed' | { leftMs: number }> {
  const row = await tx.row<{ isUnclaimed: boolean; leftMs: number }>(
    'read_call_under_way',
    `SELECT status = 'started' AND claimed_at IS NULL AS "isUnclaimed",
       CASE WHEN status = 'started' AND claimed_at IS NOT NULL THEN ceil(GREATEST(0,
         extract(epoch FROM claimed_at - clock_timestamp()) * 1000 + :callMs))::float8 ELSE 0 END AS "leftMs"
     FROM attempts WHERE invocation_id = :invocationId AND kind = 'dispatch'`,
    { invocationId, callMs },
  );
  if (row === null || !row.isUnclaimed) return { leftMs: row?.leftMs ?? 0 };
  return 'unclaimed';
}

export interface DispatchAttempt {
  id: string;
  status: AttemptStatus;
  claimed: boolean;
  /** Nobody has claimed it here, and the database may have lost the claim. */
  recovered: boolean;
  observedOutcome: Outcome | null;
  refusal: Refusal | null;
  error: string | null;
  response: Json;
  /** A replay of it was claimed, and its result is not known yet. */
  unansweredReplay: boolean;
}

/**
 * The one dispatch of an invocation, with an answer that came after it was abandoned; null before the fence. The row is locked
 * until the transaction ends, so that a settlement waits for a claim or a record that is about to commit.
 */
export async function findDispatchAttempt(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<DispatchAttempt | null> {
  return tx.row<DispatchAttempt>(
    'find_dispatch_attempt',
    `SELECT a.id, a.status, a.claimed_at IS NOT NULL AS claimed,
       CASE WHEN a.status = 'started' AND a.claimed_at IS NULL THEN (SELECT is_recovered(i.timeline) FROM invocations i WHERE i.id = a.invocation_id) ELSE false END AS recovered,
       COALESCE(l.observed_outcome, a.observed_outcome) AS "observedOutcome",
       a.refusal, CASE WHEN l.attempt_id IS NULL THEN a.error ELSE l.error END AS error, COALESCE(l.response, a.response) AS response,
       EXISTS (SELECT FROM attempts p LEFT JOIN late_answers q ON q.attempt_id = p.id
               WHERE p.invocation_id = a.invocation_id AND p.kind = 'replay' AND p.claimed_at IS NOT NULL
                 AND COALESCE(q.observed_outcome, p.observed_outcome, 'unknown') = 'unknown') AS "unansweredReplay"
     FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
     WHERE a.invocation_id = ? AND a.kind = 'dispatch' FOR UPDATE OF a`,
    [invocationId],
  );
}
