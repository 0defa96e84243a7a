import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SEALED_COLUMNS, type SealedSigningKey } from './records.ts';

/** The signing keys in use, sealed, newest first, for a delivery to open. */
export async function readSealedSigningKeys(tx: EnvironmentTransaction): Promise<SealedSigningKey[]> {
  const { rows } = await tx.raw<{ rows: SealedSigningKey[] }>(
    `SELECT id, ${selected(SEALED_COLUMNS)} FROM signing_keys WHERE retires_at IS NULL OR retires_at > now() ORDER BY created_at DESC, id DESC`,
    [],
  );
  return rows;
}
