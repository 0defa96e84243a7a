import type { InternalEventType } from '../../domain/events/event-types.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/**
 * Puts an event about the whole workspace into the outbox of each of its environments, in the transaction of what it reports. `toChannels`
 * is true in the data of one of them, a production environment where there is one, so that the channels hear of it once.
 */
export async function raiseInWorkspace(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  type: InternalEventType,
  data: JsonObject,
): Promise<void> {
  await tx.raw('SELECT raise_workspace_event(:type, CAST(:data AS jsonb))', { type, data: JSON.stringify(data) });
}
