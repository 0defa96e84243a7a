import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Ids, in order, of the messages of this environment whose attempt its halt has put off. */
export async function listHeldMessages(tx: EnvironmentTransaction, after: string, limit: number): Promise<string[]> {
  const where = 'environment_id = current_environment_id() AND held_at IS NOT NULL';
  const rows = await rowsAfter<{ id: string }>(tx, {
    columns: 'id',
    from: 'messages',
    where,
    key: 'id',
    asked: { after, limit },
  });
  return rows.map(({ id }) => id);
}
