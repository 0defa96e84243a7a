import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Writes the fence of a replay: an attempt row, `started`, committed before a byte is sent. The caller holds the invocation's
 * lock. The database allows one open replay at a time, and refuses one outside of the adapter's window.
 */
export async function startReplay(tx: EnvironmentTransaction, invocationId: string): Promise<string> {
  const id = newId('attempt');
  await tx.raw(
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind)
     SELECT :id, current_environment_id(), :invocationId, max(number) + 1, 'replay' FROM attempts WHERE invocation_id = :invocationId`,
    { id, invocationId },
  );
  return id;
}
