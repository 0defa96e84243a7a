import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';

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
