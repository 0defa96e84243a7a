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

/** The delivery of an event to one subscription: of the first time, or again after it failed. */
export interface EventDelivery {
  event: DeliveredEvent;
  target: SubscriptionTarget;
  /** The message that failed. */
  retryOf?: string;
  /** A new one where it is omitted. */
  id?: string;
}

/** The message of a delivery: to where the subscription points now, with its headers of now. Throws where they do not open. */
export function deliveryDraft(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  { event, target, retryOf, id }: EventDelivery,
): MessageDraft {
  const body = deliveryBody(event, tenant.environmentId) as unknown as Json;
  const headers = openHeaders(vault, tenant, target.id, target);
  return {
    ...(id === undefined ? {} : { id }),
    request: { url: target.url, method: 'POST', body, ...(headers === null ? {} : { headers }) },
    origin: {
      kind: 'event',
      event: { id: event.id, subscriptionId: target.id },
      ...(retryOf === undefined ? {} : { retryOf }),
    },
  };
}

/**
 * Accepts the messages of an event for these subscriptions. The id of each follows from the event and the subscription.
 *
 * @throws {ServiceError} what `acceptMessages` throws; nothing is accepted then.
 */
export function acceptDeliveries(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'open' | 'seal'>,
  tenant: Tenant,
  event: DeliveredEvent,
  targets: readonly SubscriptionTarget[],
): Promise<Published[]> {
  const drafts = targets.map((target) =>
    deliveryDraft(vault, tenant, { event, target, id: derivedMessageId(event.createdAt, [event.id, target.id]) }),
  );
  // What was accepted before a halt is kept and delivered after it, so the event is, too.
  const publisher = { tenant, publishedBy: event.publishedBy, apiKeyId: null, publishesWhileHalted: true };
  return acceptMessages(tx, vault, publisher, drafts);
}
