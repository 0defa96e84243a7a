import type { EnvironmentTransaction } from '../client.ts';
import type { Batch, BatchInput, Rewrapping } from '../secrets/rewrap-batch.ts';
import { rewrapRows } from '../secrets/rewrap-rows.ts';
import { messageAssociatedData } from './message-content.ts';

/** Rewraps the sealed contents of the next messages of one environment. */
export function rewrapMessages(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => messageAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'message_contents', idColumn: 'message_id', associatedDataOf }, input);
}
