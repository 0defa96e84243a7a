import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { lockInvocation } from '../invocations/locks.ts';
import type { ClaimedDispatch } from './dispatches.ts';

/**
 * Longer than a replay's activity and its time in the queue can take. After this long its worker and its workflow are gone. It counts
 * from the claim where there is one: while no worker runs, a replay waits, and then begins at any time.
 */
const LOST_AFTER_SECONDS = 180;

/** Abandons a replay whose worker is gone, as its workflow would have done. A claimed replay may have been sent. */
export async function abandonLostReplays(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    'abandon_lost_replays',
    `UPDATE attempts a SET status = 'abandoned', finished_at = now(),
       observed_outcome = CASE WHEN a.claimed_at IS NULL THEN 'not_dispatched' ELSE 'unknown' END,
       error = CASE WHEN a.claimed_at IS NULL THEN 'not sent: no worker took the replay up in time'
                    ELSE 'the worker was lost while the replay was under way' END
     FROM invocations i JOIN action_versions v ON v.id = i.version_id
     WHERE i.id = a.invocation_id AND a.invocation_id = :invocationId AND a.kind = 'replay' AND a.status = 'started'
       AND COALESCE(a.claimed_at, a.started_at) < now() - make_interval(secs => :lostAfterSeconds + (v.definition ->> 'timeoutMs')::double precision / 1000)`,
    { invocationId, lostAfterSeconds: LOST_AFTER_SECONDS },
  );
}

/**
 * Writes the fence of a replay: an attempt row, `started`, committed before a byte is sent. The caller holds the invocation's
 * lock. The database allows one open replay at a time, and refuses one outside of the adapter's window.
 */
export async function startReplay(tx: EnvironmentTransaction, invocationId: string): Promise<string> {
  const id = newId('attempt');
  await tx.raw(
    'start_replay',
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind)
     SELECT :id, current_environment_id(), :invocationId, max(number) + 1, 'replay' FROM attempts WHERE invocation_id = :invocationId`,
    { id, invocationId },
  );
  return id;
}

/**
 * Claims a replay, once for good. The claim succeeds only while the outcome is unknown and the provider's idempotency window
 * still has the action's time-out plus `marginSeconds` left. Returns null where the replay was claimed before, abandoned, or is
 * no longer due; the caller must then send nothing. The invocation is locked first, so that the claim waits for a resolution or
 * settlement that is about to commit.
 */
export async function claimReplay(
  tx: EnvironmentTransaction,
  { invocationId, attemptId, marginSeconds }: { invocationId: string; attemptId: string; marginSeconds: number },
): Promise<ClaimedDispatch | null> {
  await lockInvocation(tx, invocationId);
  return tx.row<ClaimedDispatch>(
    'claim_replay',
    `WITH claimed AS (
       UPDATE attempts a SET claimed_at = now() FROM effects e JOIN action_versions d ON d.id = e.version_id
         JOIN attempts f ON f.invocation_id = e.invocation_id AND f.kind = 'dispatch'
       WHERE a.id = :attemptId AND a.invocation_id = :invocationId AND a.kind = 'replay' AND a.status = 'started'
         AND a.claimed_at IS NULL AND e.invocation_id = a.invocation_id AND e.stage = 'reconciling' AND e.outcome = 'unknown'
         AND (e.capabilities ->> 'replay')::boolean AND NOT is_ambiguous(e.id)
         AND clock_timestamp() + make_interval(secs => :marginSeconds + (d.definition ->> 'timeoutMs')::double precision / 1000)
           < e.first_dispatched_at + make_interval(secs => (e.capabilities ->> 'idempotencyWindowSeconds')::double precision)
       RETURNING a.id, e.request_digest, f.secret_versions)
     SELECT c.id AS "attemptId", i.id AS "invocationId", i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input,
       v.definition, c.request_digest AS "requestDigest", c.secret_versions AS "boundSecretVersions"
     FROM claimed c JOIN invocations i ON i.id = :invocationId JOIN action_versions v ON v.id = i.version_id`,
    { invocationId, attemptId, marginSeconds },
  );
}

/** Whether a replay is yet to be claimed: neither claimed nor given up. It locks nothing. */
export async function isReplayUnclaimed(tx: EnvironmentTransaction, attemptId: string): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'is_replay_unclaimed',
    `SELECT 1 FROM attempts WHERE id = ? AND kind = 'replay' AND status = 'started' AND claimed_at IS NULL`,
    [attemptId],
  );
  return rows.length > 0;
}

/**
 * Starts an attempt of kind `reconcile`: a read, never a send. An earlier read whose worker died is abandoned first. While the
 * effect is being reconciled, the read counts among its reconciliation attempts.
 */
export async function startReadAttempt(tx: EnvironmentTransaction, invocationId: string): Promise<string> {
  const id = newId('attempt');
  await lockInvocation(tx, invocationId); // numbers are assigned one at a time
  await tx.raw(
    'start_read_attempt',
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), error = 'the worker was lost while it read'
     WHERE invocation_id = ? AND kind = 'reconcile' AND status = 'started'`,
    [invocationId],
  );
  await abandonLostReplays(tx, invocationId);
  await tx.raw(
    'start_read_attempt_2',
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind, claimed_at)
     SELECT :id, current_environment_id(), :invocationId, COALESCE(max(number), 0) + 1, 'reconcile', now()
     FROM attempts WHERE invocation_id = :invocationId`,
    { id, invocationId },
  );
  await tx.raw(
    'start_read_attempt_3',
    `UPDATE effects SET reconcile_attempts = reconcile_attempts + 1, updated_at = now()
     WHERE invocation_id = ? AND stage = 'reconciling'`,
    [invocationId],
  );
  return id;
}
