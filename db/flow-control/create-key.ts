import type { Limits } from '../../domain/flow-control/flow-control.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { requireRoom } from './require-room.ts';
import { conflictWhereTaken } from '../taken.ts';

/** Creates a key and returns its id. Throws CONFLICT where the environment has it already, QUOTA_EXCEEDED where it has as many as it may. */
export async function createKey(
  tx: EnvironmentTransaction,
  key: string,
  { rate, parallelism }: Limits,
): Promise<string> {
  await requireRoom(tx, 1, []);
  const id = newId('flowControlKey');
  await tx
    .raw(
      `INSERT INTO flow_control_keys (id, environment_id, key, rate, period_seconds, parallelism)
       VALUES (:id, current_environment_id(), :key, :rate, :periodSeconds, :parallelism)`,
      {
        id,
        key,
        rate: rate?.rate ?? null,
        periodSeconds: rate?.periodSeconds ?? null,
        parallelism: parallelism ?? null,
      },
    )
    .catch(
      conflictWhereTaken(
        'flow_control_keys_name',
        `The flow-control key "${key}" exists in this environment. Change that one, or choose another key.`,
      ),
    );
  return id;
}
