import type { WorkspaceTransaction } from '../client.ts';
import { ENVIRONMENT_COLUMNS, type EnvironmentRecord } from './records.ts';

/** One page of the workspace's environments, newest first, and how many there are in all. */
export async function listEnvironments(
  tx: WorkspaceTransaction,
  page: { limit: number; offset: number },
): Promise<{ items: EnvironmentRecord[]; total: number }> {
  const counted = await tx('environments').count<{ count: string }[]>();
  const items = await tx('environments')
    .select<EnvironmentRecord[]>(ENVIRONMENT_COLUMNS)
    .orderBy([
      { column: 'environments.created_at', order: 'desc' },
      { column: 'environments.id', order: 'desc' },
    ])
    .limit(page.limit)
    .offset(page.offset);
  return { items, total: Number(counted[0]?.count ?? 0) };
}
