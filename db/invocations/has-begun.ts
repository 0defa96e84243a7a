import type { EnvironmentTransaction } from '../client.ts';

/** True once the invocation's workflow has evaluated it. */
export async function hasBegun(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { begun: boolean }[] }>(
    'SELECT evaluated_at IS NOT NULL AS begun FROM invocations WHERE id = ?',
    [invocationId],
  );
  return rows[0]?.begun ?? false;
}
