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

/** The first message of an event for a subscription: its id follows from both. Throws where the headers do not open. */
export function firstDeliveryDraft(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  { event, target }: Pick<EventDelivery, 'event' | 'target'>,
): MessageDraft {
  const id = derivedMessageId(event.createdAt, [event.id, target.id]);
  return deliveryDraft(vault, tenant, { event, target, id });
}

/**
 * Accepts the first messages of an event for its subscriptions.
 *
 * @throws {ServiceError} what `acceptMessages` throws; nothing is accepted then.
 */
export function acceptDeliveries(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  tenant: Tenant,
  event: DeliveredEvent,
  drafts: readonly MessageDraft[],
): Promise<Published[]> {
  // A message that was accepted before a halt is kept and delivered after it; so is an event.
  const publisher = { tenant, publishedBy: event.publishedBy, apiKeyId: null, publishesWhileHalted: true };
  return acceptMessages(tx, vault, publisher, drafts);
}
