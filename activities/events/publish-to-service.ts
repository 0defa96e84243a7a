import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { findHeardServiceTopic } from '../../db/events/find-service-topic.ts';
import { insertEvent } from '../../db/events/insert-event.ts';
import type { RaisedEvent } from '../../db/events/records.ts';
import { isInternalEventType } from '../../domain/events/event-types.ts';
import type { RelayDependencies } from './relay-consumer.ts';

/** Publishes platform events to the topic `service`, where somebody subscribes to it. */
export async function publishToService(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  raised: readonly RaisedEvent[],
): Promise<(deps: RelayDependencies) => Promise<void>> {
  const topicId = await findHeardServiceTopic(tx);
  const eventIds: string[] = [];
  if (topicId === null) return () => Promise.resolve();
  for (const { type, data, occurredAt } of raised) {
    if (isInternalEventType(type)) continue;
    const event = await insertEvent(tx, {
      topicId,
      ownId: null,
      type,
      data: JSON.stringify(data),
      occurredAt,
      publishedBy: { type: 'service', id: null },
    });
    if (event !== null && !event.isFannedOut) eventIds.push(event.id);
  }
  return async (deps) => {
    const { workspaceId, environmentId } = tenant;
    for (const eventId of eventIds) {
      try {
        await deps.fanOutEvent({ eventId, workspaceId, environmentId });
      } catch (error) {
        deps.logger.warn({ eventId, err: error }, 'the fan-out of an event was not started: the sweep starts it');
      }
    }
  };
}
