import { type Page, pageOf, type Range } from '../page.ts';
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
  asked: { key?: string | undefined } & Range,
): Promise<Page<FlowControlKeyRecord>> {
  return pageOf(tx, {
    columns: selected(COLUMNS),
    from: 'flow_control_keys f',
    // Nothing is joined, but the page is picked first: the counts of rows that it leaves out would cost as much.
    joins: '',
    where: 'f.environment_id = current_environment_id()',
    filters: { key: 'f.key = :key' },
    order: 'f.created_at DESC, f.id DESC',
    asked,
  });
}
