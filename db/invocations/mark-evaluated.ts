import type { EnvironmentTransaction } from '../client.ts';

/** From here on the workflow has begun, and the admission can no longer be withdrawn. */
export async function markEvaluated(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw('UPDATE invocations SET evaluated_at = COALESCE(evaluated_at, now()), updated_at = now() WHERE id = ?', [
    invocationId,
  ]);
}
