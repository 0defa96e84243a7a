import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { findHeardServiceTopic, findHeardTypes } from '../../db/events/topics.ts';
import { insertEvent } from '../../db/events/publishing.ts';
import type { RaisedEvent } from '../../db/events/events.ts';
import { isInternalEventType } from '../../domain/events/event-types.ts';
import type { FollowUp } from '../relay-consumer.ts';

/** Publishes platform events to the topic `service`, where somebody subscribes to it. */
export async function publishToService(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  raised: readonly RaisedEvent[],
): Promise<FollowUp[]> {
  const topicId = await findHeardServiceTopic(tx);
  const eventIds: string[] = [];
  if (topicId === null) return [];
  const heard = await findHeardTypes(
    tx,
    topicId,
    raised.map(({ type }) => type),
  );
  for (const { type, data, occurredAt } of raised) {
    if (isInternalEventType(type)) continue;
    const event = await insertEvent(tx, {
      topicId,
      ownId: null,
      type,
      data: JSON.stringify(data),
      occurredAt,
      publishedBy: { type: 'service', id: null },
      isHeard: heard.has(type),
    });
    if (event !== null && !event.isFannedOut) eventIds.push(event.id);
  }
  const { workspaceId, environmentId } = tenant;
  return eventIds.map((eventId) => {
    const ids = { eventId, workspaceId, environmentId };
    return { ids, start: (deps) => deps.fanOutEvent(ids) };
  });
}
