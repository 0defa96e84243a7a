import type { EnvironmentTransaction } from '../client.ts';
import { announceSettlement } from './announce-settlement.ts';

/** From here on an invocation rests until what it depends on is settled; who waits for its answer is told so, once. */
export async function awaitDependencies(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE invocations SET dependencies_awaited_at = now(), updated_at = now() WHERE id = ? AND dependencies_awaited_at IS NULL`,
    [invocationId],
  );
  if (rowCount === 1) await announceSettlement(tx, invocationId);
}
