import type { EnvironmentTransaction } from '../client.ts';
import { giveBackAllowance } from '../plans/give-back-allowance.ts';

/**
 * Takes back an admission whose workflow could not be started. Answers false where the workflow began after all (its
 * evaluation committed first): then the invocation stays. Whichever commits first wins, so nothing is ever half-done.
 * The execution that the admission took from the month's allowance is given back with it.
 */
export async function withdrawInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { created_at: Date }[] }>(
    `DELETE FROM invocations WHERE id = ? AND status = 'queued' AND evaluated_at IS NULL RETURNING created_at`,
    [invocationId],
  );
  const withdrawn = rows[0];
  if (withdrawn === undefined) return false;
  await giveBackAllowance(tx, 'executions', 1, withdrawn.created_at);
  return true;
}
