import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SHORTENED_DEFINITION, VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

/** One page of an action's versions, newest first, with the total count. Large configs, schemas and declarations of `verify` are shortened. */
export async function listVersions(
  tx: EnvironmentTransaction,
  actionId: string,
  range: { limit: number; offset: number },
): Promise<{ items: ActionVersionRecord[]; total: number }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'SELECT count(*)::int AS total FROM action_versions WHERE action_id = ?',
    [actionId],
  );
  const page = await tx.raw<{ rows: ActionVersionRecord[] }>(
    `SELECT ${selected(VERSION_COLUMNS)}, ${SHORTENED_DEFINITION} AS definition
     FROM action_versions WHERE action_id = :actionId ORDER BY number DESC LIMIT :limit OFFSET :offset`,
    { actionId, ...range },
  );
  return { items: page.rows, total: counted.rows[0]?.total ?? 0 };
}
