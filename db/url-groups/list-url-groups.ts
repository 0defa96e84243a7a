import type { EnvironmentTransaction } from '../client.ts';
import { GROUP_COLUMNS, type UrlGroupRecord } from './records.ts';

/** One page of groups that are not deleted, newest first. */
export async function listUrlGroups(
  tx: EnvironmentTransaction,
  page: { name?: string | undefined; limit: number; offset: number },
): Promise<{ items: UrlGroupRecord[]; total: number }> {
  const where = `g.environment_id = current_environment_id() AND g.deleted_at IS NULL
    AND (CAST(:name AS text) IS NULL OR g.name = :name)`;
  const bindings = { ...page, name: page.name ?? null };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM url_groups g WHERE ${where}`,
    bindings,
  );
  const { rows } = await tx.raw<{ rows: UrlGroupRecord[] }>(
    `SELECT ${GROUP_COLUMNS} FROM url_groups g WHERE ${where} ORDER BY g.created_at DESC, g.id DESC LIMIT :limit OFFSET :offset`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}
