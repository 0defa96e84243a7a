import type { EnvironmentTransaction } from '../client.ts';
import { SIGNING_KEY_COLUMNS, type SigningKeyRecord } from './records.ts';

/** The keys of the transaction's workspace that sign now, the newest first; `total` counts them. */
export async function listSigningKeys(
  tx: EnvironmentTransaction,
  page: { limit: number; offset: number },
): Promise<{ total: number; items: SigningKeyRecord[] }> {
  const signing = tx('signing_keys').whereRaw('(retires_at IS NULL OR retires_at > now())');
  const counted = await signing.clone().count<{ count: string }[]>();
  const items = await signing
    .select<SigningKeyRecord[]>(SIGNING_KEY_COLUMNS)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit)
    .offset(page.offset);
  return { total: Number(counted[0]?.count ?? 0), items };
}
