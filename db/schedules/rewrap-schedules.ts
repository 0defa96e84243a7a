import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import type { Vault } from '../secrets/vault.ts';
import { scheduleAssociatedData } from './destination.ts';

/** Rewraps the sealed destinations of up to `most` schedules of one environment. Returns how many; 0 when none is left. */
export function rewrapSchedules(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const associatedDataOf = (id: string) => scheduleAssociatedData(tenant, id);
  return rewrapRows(tx, vault, { table: 'schedules', idColumn: 'id', associatedDataOf }, most);
}
