import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { ACTION_COLUMNS, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

export interface PinnedPage {
  /** The name after which the page begins; the empty string is the beginning. */
  after: string;
  limit: number;
}

/** Live actions that are pinned as MCP tools, by name. A page by the last name stays right while actions come and go. */
export async function listPinnedActions(tx: EnvironmentTransaction, page: PinnedPage): Promise<ActionRecord[]> {
  const rows = await rowsAfter<ActionRow>(tx, {
    columns: selected(ACTION_COLUMNS),
    from: 'actions JOIN action_versions ON action_versions.id = actions.current_version_id',
    where: 'actions.environment_id = current_environment_id() AND actions.mcp_pinned AND actions.archived_at IS NULL',
    key: 'actions.name COLLATE "C"',
    asked: page,
  });
  return rows.map(toActionRecord);
}
