import { acceptDeliveries, firstDeliveryDraft, listTargets, lockEvent } from '../../../db/events/fan-out.ts';
import { insertEvent } from '../../../db/events/publishing.ts';
import type { MessageRef } from '../../../domain/messages/messages.ts';
import type { ActivityWorld } from '../invocations/world.ts';

/** The accepted delivery of a new event of the topic to its one subscription. */
export async function plantDelivery(
  world: Pick<ActivityWorld, 'database' | 'vault' | 'transaction'>,
  topicId: string,
): Promise<MessageRef & { eventId: string }> {
  const { tenant } = world.database;
  return world.transaction(async (tx) => {
    const publishedBy = { type: 'api_key', id: null };
    const given = { topicId, ownId: null, type: 'order.paid', data: '{"order":7}', occurredAt: new Date() };
    const { id: eventId } = (await insertEvent(tx, { ...given, publishedBy, isHeard: true })) ?? { id: '' };
    const event = await lockEvent(tx, eventId);
    if (event === null) throw new Error('the event that was just made is gone');
    const targets = await listTargets(tx, event, 1);
    const [message] = await acceptDeliveries(
      tx,
      world.vault,
      tenant,
      event,
      targets.map((target) => firstDeliveryDraft(world.vault, tenant, { event, target })),
    );
    if (message === undefined) throw new Error('the topic has no subscription');
    return { ...tenant, messageId: message.messageId, eventId };
  });
}
