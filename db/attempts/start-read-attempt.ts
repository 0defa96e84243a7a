import { newId } from '../../domain/ids.ts';
import { lockInvocation } from '../invocations/lock-invocation.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { abandonLostReplays } from './abandon-lost-replays.ts';

/**
 * Starts an attempt of kind `reconcile`: a read, never a send. An earlier read whose worker died is abandoned first. While the
 * effect is being reconciled, the read counts among its reconciliation attempts.
 */
export async function startReadAttempt(tx: EnvironmentTransaction, invocationId: string): Promise<string> {
  const id = newId('attempt');
  await lockInvocation(tx, invocationId); // numbers are assigned one at a time
  await tx.raw(
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), error = 'the worker was lost while it read'
     WHERE invocation_id = ? AND kind = 'reconcile' AND status = 'started'`,
    [invocationId],
  );
  await abandonLostReplays(tx, invocationId);
  await tx.raw(
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind, claimed_at)
     SELECT :id, current_environment_id(), :invocationId, COALESCE(max(number), 0) + 1, 'reconcile', now()
     FROM attempts WHERE invocation_id = :invocationId`,
    { id, invocationId },
  );
  await tx.raw(
    `UPDATE effects SET reconcile_attempts = reconcile_attempts + 1, updated_at = now()
     WHERE invocation_id = ? AND stage = 'reconciling'`,
    [invocationId],
  );
  return id;
}
