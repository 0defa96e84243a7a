import type { EnvironmentTransaction } from '../client.ts';

/** Marks that the workflow has begun. From here on the admission can no longer be withdrawn. */
export async function markEvaluated(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw('UPDATE invocations SET evaluated_at = COALESCE(evaluated_at, now()), updated_at = now() WHERE id = ?', [
    invocationId,
  ]);
}
