import type { EnvironmentTransaction } from '../client.ts';

/** Binds a parked invocation to the preview that the service made of it. The database allows it once. */
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
