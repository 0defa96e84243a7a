import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SECRET_COLUMNS, type SecretRecord } from './records.ts';

/** One page of the live secrets, newest first, with the total count. */
export async function listSecrets(
  tx: EnvironmentTransaction,
  range: { limit: number; offset: number },
): Promise<{ items: SecretRecord[]; total: number }> {
  const live = 'FROM secrets WHERE environment_id = current_environment_id() AND deleted_at IS NULL';
  const counted = await tx.raw<{ rows: { total: number }[] }>(`SELECT count(*)::int AS total ${live}`);
  const page = await tx.raw<{ rows: SecretRecord[] }>(
    `SELECT ${selected(SECRET_COLUMNS)} ${live} ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset`,
    range,
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
