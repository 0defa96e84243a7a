import type { ScopedTransaction } from './client.ts';

/**
 * Runs this work and undoes what it wrote: its answer says what the work would do now, with every check and lock of the real one. A
 * failure of the work ends the transaction, as it does elsewhere.
 */
export async function inTrial<T>(tx: ScopedTransaction, work: () => Promise<T>): Promise<T> {
  await tx.raw('begin_trial', 'SAVEPOINT trial');
  const answer = await work();
  await tx.raw('undo_trial', 'ROLLBACK TO SAVEPOINT trial');
  return answer;
}
