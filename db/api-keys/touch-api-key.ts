import type { EnvironmentTransaction } from '../client.ts';

/** The resolution of `last_used_at`. */
export const LAST_USED_PRECISION_SECONDS = 60;

/** Records that a key of the transaction's environment was used; writes at most once a minute for each key. */
export async function touchApiKey(tx: EnvironmentTransaction, keyId: string): Promise<void> {
  await tx.raw(
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = ? AND (last_used_at IS NULL OR last_used_at <= now() - ? * interval '1 second')`,
    [keyId, LAST_USED_PRECISION_SECONDS],
  );
}
