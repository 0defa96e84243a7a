import type { EnvironmentTransaction } from '../../db/client.ts';
import { readHalt } from '../../db/environments/read-halt.ts';
import type { Refusal } from '../../domain/refusals.ts';

/**
 * Why nothing may be sent from the transaction's environment now; null while it is not halted. The answer holds until the
 * transaction ends: a concurrent halt waits for it.
 */
export async function refuseWhileHalted(tx: EnvironmentTransaction): Promise<Refusal | null> {
  const halt = await readHalt(tx);
  return halt === null ? null : haltRefusal(halt.reason);
}

export function haltRefusal(reason: string): Refusal {
  return { code: 'environment_halted', message: reason };
}
