import type { EnvironmentTransaction } from '../client.ts';
import { ACTION_COLUMNS, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

export interface ListActionsFilter {
  /** Exactly this name. */
  name?: string | undefined;
  includeArchived: boolean;
  limit: number;
  offset: number;
}

/** One page of the actions, newest first, and how many there are in all. */
export async function listActions(
  tx: EnvironmentTransaction,
  filter: ListActionsFilter,
): Promise<{ items: ActionRecord[]; total: number }> {
  const matching = tx('actions');
  if (filter.name !== undefined) void matching.where('actions.name', filter.name);
  if (!filter.includeArchived) void matching.whereNull('actions.archived_at');
  const counted = await matching.clone().count<{ count: string }[]>();
  const rows = await matching
    .clone()
    .join('action_versions', 'action_versions.id', 'actions.current_version_id')
    .select<ActionRow[]>(ACTION_COLUMNS)
    .orderBy([
      { column: 'actions.created_at', order: 'desc' },
      { column: 'actions.id', order: 'desc' },
    ])
    .limit(filter.limit)
    .offset(filter.offset);
  return { items: rows.map(toActionRecord), total: Number(counted[0]?.count ?? 0) };
}
