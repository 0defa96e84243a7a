import { derivedMessageId } from '../../domain/derived-message-id.ts';
import type { EventBody } from '../../domain/events/events.ts';
import type { Json } from '../../domain/json.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { acceptMessages, type Published } from '../messages/accept/accept-messages.ts';
import type { MessageDraft } from '../messages/accept/message-candidate.ts';
import type { Vault } from '../secrets/vault.ts';
import type { FanOutWork, SubscriptionTarget } from './fan-out.ts';
import { openHeaders } from './subscription-content.ts';

export type DeliveredEvent = Pick<
  FanOutWork,
  'id' | 'publicId' | 'type' | 'topic' | 'data' | 'occurredAt' | 'createdAt' | 'publishedBy'
>;

export function deliveryBody(event: DeliveredEvent, environmentId: string): EventBody {
  const { publicId: id, type, occurredAt, topic, data } = event;
  return { id, type, timestamp: occurredAt.toISOString(), topic, environmentId, data };
}

/**
 * Accepts the messages of an event for these subscriptions. The id of each follows from the event, the subscription and `round`, which
 * tells a repetition (a recovery) from the first time.
 *
 * @throws {ServiceError} what `acceptMessages` throws; nothing is accepted then.
 */
export function acceptDeliveries(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal'>,
  tenant: Tenant,
  event: DeliveredEvent,
  targets: readonly SubscriptionTarget[],
  { at = event.createdAt, round = [] }: { at?: Date; round?: readonly string[] } = {},
): Promise<Published[]> {
  const body = deliveryBody(event, tenant.environmentId) as unknown as Json;
  const drafts = targets.map((target): MessageDraft => {
    const headers = openHeaders(vault, tenant, target.id, target);
    return {
      id: derivedMessageId(at, [event.id, target.id, ...round]),
      request: { url: target.url, method: 'POST', body, ...(headers === null ? {} : { headers }) },
      origin: { kind: 'event', event: { id: event.id, subscriptionId: target.id } },
    };
  });
  // What was accepted before a halt is kept and delivered after it, so the event is, too.
  const publisher = { tenant, publishedBy: event.publishedBy, apiKeyId: null, publishesWhileHalted: true };
  return acceptMessages(tx, vault, publisher, drafts);
}
