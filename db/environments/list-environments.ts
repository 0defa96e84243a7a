import { type Page, pageOf, type Range } from '../page.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { ENVIRONMENT_COLUMNS, type EnvironmentRecord } from './records.ts';

/** One page of the workspace's environments, newest first, with the total count. */
export async function listEnvironments(tx: WorkspaceTransaction, range: Range): Promise<Page<EnvironmentRecord>> {
  return pageOf(tx, {
    columns: selected(ENVIRONMENT_COLUMNS),
    from: 'environments',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}
