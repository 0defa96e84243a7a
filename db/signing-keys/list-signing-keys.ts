import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SIGNING_KEY_COLUMNS, type SigningKeyRecord } from './records.ts';

/** The signing keys of the transaction's workspace that are in use, newest first, with their total count. */
export async function listSigningKeys(
  tx: EnvironmentTransaction,
  range: { limit: number; offset: number },
): Promise<{ total: number; items: SigningKeyRecord[] }> {
  const signing = 'FROM signing_keys WHERE (retires_at IS NULL OR retires_at > now())';
  const counted = await tx.raw<{ rows: { total: number }[] }>(`SELECT count(*)::int AS total ${signing}`);
  const page = await tx.raw<{ rows: SigningKeyRecord[] }>(
    `SELECT ${selected(SIGNING_KEY_COLUMNS)} ${signing} ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset`,
    { limit: range.limit, offset: range.offset },
  );
  return { total: counted.rows[0]?.total ?? 0, items: page.rows };
}
