import type { EnvironmentTransaction } from '../client.ts';

export interface Halt {
  haltedAt: Date;
  reason: string;
}

/**
 * The halt of the transaction's environment, or null while it runs. A halt that has committed is always seen; one that comes
 * later waits until this transaction ends, so what is decided on the answer holds. Call it in the transaction that acts on it,
 * after any row lock of your own and before `recordAudit`.
 */
export async function readHalt(tx: EnvironmentTransaction): Promise<Halt | null> {
  const { rows } = await tx.raw<{ rows: { halted_at: Date | null; halted_reason: string | null }[] }>(
    'SELECT halted_at, halted_reason FROM read_halt()',
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the transaction names an environment that is not there');
  return row.halted_at === null ? null : { haltedAt: row.halted_at, reason: row.halted_reason ?? '' };
}

/** `readHalt` as yes or no. */
export async function isHalted(tx: EnvironmentTransaction): Promise<boolean> {
  return (await readHalt(tx)) !== null;
}
