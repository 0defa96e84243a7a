import { lockInvocation } from '../invocations/lock-invocation.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { ClaimedDispatch } from './claim-dispatch.ts';

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
  const { rows } = await tx.raw<{ rows: ClaimedDispatch[] }>(
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
  return rows[0] ?? null;
}
