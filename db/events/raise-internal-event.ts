import type { InternalEventType } from '../../domain/events/event-types.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Puts an event into the outbox that no trigger raises, in the transaction of what it tells of. */
export async function raiseInternalEvent(
  tx: EnvironmentTransaction,
  type: InternalEventType,
  data: JsonObject,
): Promise<void> {
  await tx.raw(
    `INSERT INTO raised_events (environment_id, type, snapshot) VALUES (current_environment_id(), :type, CAST(:data AS jsonb))`,
    { type, data: JSON.stringify(data) },
  );
}
