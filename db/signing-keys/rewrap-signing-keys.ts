import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type BatchInput, rewrapOrTell, type Rewrapping } from '../secrets/rewrap-batch.ts';
import { SEALED_COLUMNS, type SealedSigningKey, signingKeyAssociatedData } from './records.ts';

/** Rewraps the workspace's signing keys (a handful) under the newest master key. Returns how many; one that does not open stays as it is. */
export async function rewrapSigningKeys(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  { tenant: { workspaceId }, onUnopened }: Pick<BatchInput, 'tenant' | 'onUnopened'>,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: SealedSigningKey[] }>(
    `SELECT id, ${selected(SEALED_COLUMNS)} FROM signing_keys WHERE master_key_version <> ? ORDER BY id FOR UPDATE`,
    [vault.newestMasterKeyVersion],
  );
  let rewrapped = 0;
  for (const row of rows) {
    const { id } = row;
    const sealed = rewrapOrTell(vault, signingKeyAssociatedData(workspaceId, id), row, (reason) =>
      onUnopened({ table: 'signing_keys', id, reason }),
    );
    if (sealed === null) continue;
    await tx.raw('UPDATE signing_keys SET master_key_version = ?, wrapped_data_key = ? WHERE id = ?', [
      sealed.masterKeyVersion,
      sealed.wrappedDataKey,
      id,
    ]);
    rewrapped++;
  }
  return rewrapped;
}
