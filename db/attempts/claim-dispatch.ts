import type { ActionDefinition } from '../../domain/actions.ts';
import type { RequesterStanding } from '../../domain/invocations/requester.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { IS_REQUESTING_GRANT } from '../invocations/lock-credentials.ts';
import { type ActorRecord, REQUESTED_BY } from '../invocations/records.ts';

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
  const { rows } = await tx.raw<{ rows: ClaimedFirstDispatch[] }>(
    `WITH claimed AS (
       UPDATE attempts SET claimed_at = now()
       WHERE invocation_id = :invocationId AND kind = 'dispatch' AND status = 'started' AND claimed_at IS NULL
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
  return rows[0] ?? null;
}
