import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { SHORTENED_DEFINITION, VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

/** One page of an action's versions, newest first, with the total count. Large configs, schemas and declarations of `verify` are shortened. */
export async function listVersions(
  tx: EnvironmentTransaction,
  actionId: string,
  range: Range,
): Promise<Page<ActionVersionRecord>> {
  return pageOf(tx, {
    columns: `${selected(VERSION_COLUMNS)}, ${SHORTENED_DEFINITION} AS definition`,
    from: 'action_versions',
    where: 'action_id = :actionId',
    order: 'number DESC',
    asked: { actionId, ...range },
  });
}
