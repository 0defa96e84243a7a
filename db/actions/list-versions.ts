import type { EnvironmentTransaction } from '../client.ts';
import { VERSION_COLUMNS, type ActionVersionRecord } from './records.ts';

/** One page of an action's versions, newest first, and how many there are in all. */
export async function listVersions(
  tx: EnvironmentTransaction,
  actionId: string,
  page: { limit: number; offset: number },
): Promise<{ items: ActionVersionRecord[]; total: number }> {
  const matching = tx('action_versions').where({ action_id: actionId });
  const counted = await matching.clone().count<{ count: string }[]>();
  const items = await matching
    .clone()
    .select<ActionVersionRecord[]>(VERSION_COLUMNS)
    .orderBy('number', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  return { items, total: Number(counted[0]?.count ?? 0) };
}
