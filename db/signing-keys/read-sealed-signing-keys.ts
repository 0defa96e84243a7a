import type { EnvironmentTransaction } from '../client.ts';
import { SEALED_COLUMNS, type SealedSigningKey } from './records.ts';

/** The keys that sign now, still sealed, the newest first, for a delivery to open. */
export async function readSealedSigningKeys(tx: EnvironmentTransaction): Promise<SealedSigningKey[]> {
  return tx('signing_keys')
    .whereRaw('(retires_at IS NULL OR retires_at > now())')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .select<SealedSigningKey[]>({ id: 'id', ...SEALED_COLUMNS });
}
