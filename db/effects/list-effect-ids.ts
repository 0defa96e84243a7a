import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Ids of the environment's effects after `after`, in id order: one page of a walk over all of them. */
export async function listEffectIds(tx: EnvironmentTransaction, after: string, limit: number): Promise<string[]> {
  const asked = { after, limit };
  const walk = { columns: 'id', from: 'effects', where: 'environment_id = current_environment_id()', key: 'id', asked };
  return (await rowsAfter<{ id: string }>(tx, walk)).map(({ id }) => id);
}
