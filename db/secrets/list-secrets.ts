import type { EnvironmentTransaction } from '../client.ts';
import { SECRET_COLUMNS, type SecretRecord } from './records.ts';

/** One page of the live secrets, newest first, and how many there are in all. */
export async function listSecrets(
  tx: EnvironmentTransaction,
  page: { limit: number; offset: number },
): Promise<{ items: SecretRecord[]; total: number }> {
  const live = tx('secrets').whereNull('deleted_at');
  const counted = await live.clone().count<{ count: string }[]>();
  const items = await live
    .clone()
    .select<SecretRecord[]>(SECRET_COLUMNS)
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(page.limit)
    .offset(page.offset);
  return { items, total: Number(counted[0]?.count ?? 0) };
}
