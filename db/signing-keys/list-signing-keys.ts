import type { EnvironmentTransaction } from '../client.ts';
import { SIGNING_KEY_COLUMNS, type SigningKeyRecord } from './records.ts';

/** The keys that sign now, the newest first. */
export async function listSigningKeys(tx: EnvironmentTransaction): Promise<SigningKeyRecord[]> {
  return tx('signing_keys')
    .whereRaw('(retires_at IS NULL OR retires_at > now())')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .select<SigningKeyRecord[]>(SIGNING_KEY_COLUMNS);
}
