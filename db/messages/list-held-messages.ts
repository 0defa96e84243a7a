import type { EnvironmentTransaction } from '../client.ts';

/** Ids of the messages of this environment whose attempt was held by its halt, in order of their ids. */
export async function listHeldMessages(tx: EnvironmentTransaction, afterId: string, limit: number): Promise<string[]> {
  const rows = await tx('messages')
    .whereRaw('environment_id = current_environment_id()')
    .whereNotNull('held_at')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .select<{ id: string }[]>('id');
  return rows.map((row) => row.id);
}
