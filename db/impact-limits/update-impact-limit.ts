import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import type { LimitRecord } from './records.ts';

export type LimitChange = Pick<LimitRecord, 'name' | 'cap' | 'thresholds'>;

/**
 * Changes a limit that the same transaction has locked. A cap may be below what is used; nothing more can be reserved then.
 * Throws CONFLICT where another live limit has the name.
 */
export async function updateImpactLimit(tx: EnvironmentTransaction, id: string, change: LimitChange): Promise<void> {
  await tx
    .raw(
      'UPDATE impact_limits SET name = :name, cap = :cap, thresholds = :thresholds, updated_at = now() WHERE id = :id',
      { id, name: change.name, cap: change.cap, thresholds: change.thresholds },
    )
    .catch(nameTaken('impact_limits_live_name', change.name));
}
