import type { EnvironmentTransaction } from '../client.ts';

/** Ties an invocation that is parked to the preview which the service made of it. Once and for good: the database sees to it. */
export async function bindInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  previewId: string,
): Promise<void> {
  await tx.raw('UPDATE invocations SET preview_id = :previewId, updated_at = now() WHERE id = :invocationId', {
    invocationId,
    previewId,
  });
}
