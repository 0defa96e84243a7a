import { TEST_EVENT_TYPE } from '../../domain/events/events.ts';
import { admitToBudget } from '../budgets/admission.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { acceptMessages, type Published, type Publisher } from '../messages/accept/accept-messages.ts';
import type { Vault } from '../secrets/vault.ts';
import { deliveryDraft, type LiveTarget } from './fan-out.ts';
import { insertEvent } from './publishing.ts';
import { readEvents } from './deliveries.ts';

/**
 * Publishes a test event, and accepts its delivery to this subscription alone, whatever its patterns are and whether or not it is enabled.
 * The event is on record with its one delivery; it is fanned out to no other.
 *
 * @throws {ServiceError} what `acceptMessages` throws; nothing is accepted then.
 */
export async function publishTestEvent(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal' | 'digests'>,
  publisher: Publisher,
  target: LiveTarget,
): Promise<{ eventId: string; message: Published }> {
  const { tenant, apiKeyId, publishedBy } = publisher;
  if (apiKeyId !== null) await admitToBudget(tx, { apiKeyId, kind: 'events', count: 1 });
  const made = await insertEvent(tx, {
    topicId: target.topicId,
    ownId: null,
    type: TEST_EVENT_TYPE,
    data: JSON.stringify({ subscriptionId: target.id, message: 'A test of this subscription.' }),
    occurredAt: new Date(),
    publishedBy,
    isHeard: false,
    deliveries: 1,
  });
  if (made === null) throw new Error('an event without an id of its own was there before');
  const event = (await readEvents(tx, [made.id])).get(made.id);
  if (event === undefined) throw new Error(`event ${made.id} was accepted and is not there`);
  // The event is what the budget of the key counts, and not its message.
  const deliverer = { ...publisher, apiKeyId: null };
  const [message] = await acceptMessages(tx, vault, deliverer, [deliveryDraft(vault, tenant, { event, target })]);
  if (message === undefined) throw new Error('a message was accepted without a result');
  return { eventId: made.id, message };
}
