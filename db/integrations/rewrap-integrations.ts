import type { EnvironmentTransaction } from '../client.ts';
import type { Batch, BatchInput, Rewrapping } from '../secrets/rewrap-batch.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import { integrationAssociatedData } from './records.ts';

/** Rewraps the credentials of the next integrations of one environment. */
export function rewrapIntegrations(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => integrationAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'integrations', idColumn: 'id', associatedDataOf }, input);
}
