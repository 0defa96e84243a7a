import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import type { Vault } from '../secrets/vault.ts';
import { messageAssociatedData } from './message-content.ts';

/** Rewraps the sealed contents of up to `most` messages of one environment. Returns how many; 0 when none is left. */
export function rewrapMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const associatedDataOf = (id: string) => messageAssociatedData(tenant, id);
  return rewrapRows(tx, vault, { table: 'message_contents', idColumn: 'message_id', associatedDataOf }, most);
}
