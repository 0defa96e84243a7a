import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { GROUP_COLUMNS, type UrlGroupRecord } from './records.ts';

/** One page of groups that are not deleted, newest first. */
export async function listUrlGroups(
  tx: EnvironmentTransaction,
  asked: { name?: string | undefined } & Range,
): Promise<Page<UrlGroupRecord>> {
  return pageOf(tx, {
    columns: GROUP_COLUMNS,
    from: 'url_groups g',
    where: 'g.environment_id = current_environment_id() AND g.deleted_at IS NULL',
    filters: { name: 'g.name = :name' },
    order: 'g.created_at DESC, g.id DESC',
    asked,
  });
}
