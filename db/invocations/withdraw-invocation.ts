import type { EnvironmentTransaction } from '../client.ts';
import { spanIdOf } from '../runs/records.ts';
import { giveBackAllowance } from '../plans/give-back-allowance.ts';

/**
 * Withdraws an admission whose workflow could not be started, and returns its execution to the month's allowance. Returns false
 * where the workflow began after all, because its evaluation committed first; the invocation then stays. Whichever commits first
 * wins.
 */
export async function withdrawInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { created_at: Date }[] }>(
    `WITH gone AS (
       DELETE FROM invocations WHERE id = :invocationId AND status = 'queued' AND evaluated_at IS NULL RETURNING run_id, created_at),
     span AS (DELETE FROM spans s USING gone WHERE s.run_id = gone.run_id AND s.id = :spanId)
     SELECT created_at FROM gone`,
    { invocationId, spanId: spanIdOf(invocationId) },
  );
  const withdrawn = rows[0];
  if (withdrawn === undefined) return false;
  await giveBackAllowance(tx, 'executions', 1, withdrawn.created_at);
  return true;
}
