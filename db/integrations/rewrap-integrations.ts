import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import type { Vault } from '../secrets/vault.ts';
import { integrationAssociatedData } from './records.ts';

/** Rewraps the credentials of up to `most` integrations of one environment. Returns how many; 0 when none is left. */
export function rewrapIntegrations(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const associatedDataOf = (id: string) => integrationAssociatedData(tenant, id);
  return rewrapRows(tx, vault, { table: 'integrations', idColumn: 'id', associatedDataOf }, most);
}
