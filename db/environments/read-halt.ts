import type { EnvironmentTransaction } from '../client.ts';

export interface Halt {
  haltedAt: Date;
  reason: string;
}

/**
 * The halt of the transaction's environment, or null while it runs. It sees every committed halt, and a later halt waits until
 * this transaction ends, so a decision based on the answer holds. Call it in the transaction that acts on the answer, after your
 * own row locks and before `recordAudit`.
 */
export async function readHalt(tx: EnvironmentTransaction): Promise<Halt | null> {
  const { rows } = await tx.raw<{ rows: { halted_at: Date | null; halted_reason: string | null }[] }>(
    'SELECT halted_at, halted_reason FROM read_halt()',
    [],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the transaction names an environment that is not there');
  return row.halted_at === null ? null : { haltedAt: row.halted_at, reason: row.halted_reason ?? '' };
}

export async function isHalted(tx: EnvironmentTransaction): Promise<boolean> {
  return (await readHalt(tx)) !== null;
}
