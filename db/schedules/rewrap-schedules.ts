import type { EnvironmentTransaction } from '../client.ts';
import type { Batch, BatchInput, Rewrapping } from '../secrets/rewrap-batch.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import { scheduleAssociatedData } from './destination.ts';

/** Rewraps the sealed destinations of the next schedules of one environment. */
export function rewrapSchedules(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => scheduleAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'schedules', idColumn: 'id', associatedDataOf }, input);
}
