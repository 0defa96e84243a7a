import type { EnvironmentTransaction } from '../client.ts';
import { announceSettlement } from './announce-settlement.ts';

/** Marks the invocation as waiting for its dependencies, and notifies the request that waits for its reply, once. */
export async function awaitDependencies(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE invocations SET dependencies_awaited_at = now(), updated_at = now() WHERE id = ? AND dependencies_awaited_at IS NULL`,
    [invocationId],
  );
  if (rowCount === 1) announceSettlement(tx, invocationId);
}
