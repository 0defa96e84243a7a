import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type FlowControlKeyRecord, KEY_COLUMNS, WAITING } from './records.ts';

/** A list counts no further: a page of keys must cost the same however many messages wait. */
export const LISTED_WAITING_MAX = 1_000;

const COLUMNS = {
  ...KEY_COLUMNS,
  waiting: `CAST((SELECT count(*) FROM (${WAITING} LIMIT ${LISTED_WAITING_MAX}) w) AS integer)`,
};

/** One page of keys, newest first, and the number of all. */
export async function listKeys(
  tx: EnvironmentTransaction,
  filter: { key?: string | undefined; limit: number; offset: number },
): Promise<{ items: FlowControlKeyRecord[]; total: number }> {
  const where = 'f.environment_id = current_environment_id() AND (CAST(:key AS text) IS NULL OR f.key = :key)';
  const bindings = { ...filter, key: filter.key ?? null };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM flow_control_keys f WHERE ${where}`,
    bindings,
  );
  // The page first, then its counts: the counts of rows that the page leaves out would cost as much.
  const { rows } = await tx.raw<{ rows: FlowControlKeyRecord[] }>(
    `SELECT ${selected(COLUMNS)} FROM (SELECT * FROM flow_control_keys f WHERE ${where}
       ORDER BY f.created_at DESC, f.id DESC LIMIT :limit OFFSET :offset) f ORDER BY f.created_at DESC, f.id DESC`,
    bindings,
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}
