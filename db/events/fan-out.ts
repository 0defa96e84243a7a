import { type EventBody, SERVICE_TOPIC } from '../../domain/events/events.ts';
import type { Json } from '../../domain/json.ts';
import { derivedMessageId } from '../../domain/derived-message-id.ts';
import { rowsAfter } from '../page.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from '../secrets/vault.ts';
import { acceptMessages, type Published } from '../messages/accept/accept-messages.ts';
import type { MessageDraft } from '../messages/accept/candidates.ts';
import type { Publishing } from './events.ts';
import { openHeaders } from './subscriptions.ts';

/** The part of an event that its fan-out needs. */
export interface FanOutWork {
  id: string;
  publicId: string;
  topicId: string;
  topic: string;
  isTopicDeleted: boolean;
  type: string;
  data: Json;
  occurredAt: Date;
  createdAt: Date;
  publishedBy: Publishing;
  status: 'fanning_out' | 'fanned_out' | 'failed';
  deliveries: number;
  /** Subscriptions that a message could not be made for. */
  unmade: number;
  afterId: string;
}

/** Locks an event: its pages come one after another. */
export async function lockEvent(tx: EnvironmentTransaction, eventId: string): Promise<FanOutWork | null> {
  return tx.row<FanOutWork>(
    'lock_event',
    `SELECT v.id, v.public_id AS "publicId", v.topic_id AS "topicId", t.name AS topic, t.deleted_at IS NOT NULL AS "isTopicDeleted", v.type,
       v.data, v.occurred_at AS "occurredAt", v.created_at AS "createdAt", v.published_by AS "publishedBy", v.status,
       v.deliveries, v.unmade, v.after_id AS "afterId"
     FROM events v JOIN topics t ON t.id = v.topic_id WHERE v.id = ? FOR NO KEY UPDATE OF v`,
    [eventId],
  );
}

/** A subscription as a delivery needs it. */
export interface SubscriptionTarget {
  id: string;
  url: string;
  eventTypes: string[];
  enabled: boolean;
  headers: Record<string, string> | null;
  sealed: SealedSecret | null;
}

type TargetRow = Omit<SubscriptionTarget, 'sealed'> & {
  [Column in keyof SealedSecret]: SealedSecret[Column] | null;
};

/** For `event_subscriptions s`. */
const TARGET_COLUMNS = `s.id, s.url, s.event_types AS "eventTypes", s.enabled, s.headers, s.master_key_version AS "masterKeyVersion",
  s.wrapped_data_key AS "wrappedDataKey", s.sealed_value AS "sealedValue"`;

/**
 * The next subscriptions of a topic in the order of their ids, those that were there and enabled when the event came. A platform event came
 * when it was raised: its row is made when it is relayed. That of a caller came when it was published, whatever its `occurredAt` says.
 */
export async function listTargets(
  tx: EnvironmentTransaction,
  { topicId, topic, occurredAt, createdAt, afterId }: FanOutWork,
  limit: number,
): Promise<SubscriptionTarget[]> {
  const cameAt = topic === SERVICE_TOPIC ? occurredAt : createdAt;
  const rows = await rowsAfter<TargetRow>(tx, {
    name: 'list_targets',
    columns: TARGET_COLUMNS,
    from: 'event_subscriptions s',
    where: 's.topic_id = :topicId AND s.deleted_at IS NULL AND COALESCE(s.enabled_at, s.created_at) <= :cameAt',
    key: 's.id',
    asked: { topicId, cameAt, after: afterId, limit },
  });
  return rows.map(targetOf);
}

function targetOf({ masterKeyVersion, wrappedDataKey, sealedValue, ...row }: TargetRow): SubscriptionTarget {
  const isSealed = masterKeyVersion !== null && wrappedDataKey !== null && sealedValue !== null;
  return { ...row, sealed: isSealed ? { masterKeyVersion, wrappedDataKey, sealedValue } : null };
}

/** Moves the cursor, in the transaction that accepted the messages of the page. */
export async function advanceFanOut(
  tx: EnvironmentTransaction,
  eventId: string,
  page: { afterId: string; made: number; unmade: number },
): Promise<void> {
  await tx.raw(
    'advance_fan_out',
    `UPDATE events SET after_id = :afterId, deliveries = deliveries + :made, unmade = unmade + :unmade WHERE id = :eventId`,
    { ...page, eventId },
  );
}

export async function endFanOut(
  tx: EnvironmentTransaction,
  eventId: string,
  error: { code: string; message: string } | null,
): Promise<void> {
  await tx.raw(
    'end_fan_out',
    `UPDATE events SET status = :status, error = CAST(:error AS jsonb), fanned_out_at = now() WHERE id = :eventId AND fanned_out_at IS NULL`,
    { eventId, status: error === null ? 'fanned_out' : 'failed', error: error === null ? null : JSON.stringify(error) },
  );
}

/** A subscription that is not deleted, nor its topic, as a delivery to it alone needs it. */
export interface LiveTarget extends SubscriptionTarget {
  topicId: string;
  topic: string;
}

export async function findTarget(tx: EnvironmentTransaction, subscriptionId: string): Promise<LiveTarget | null> {
  const row = await tx.row<TargetRow & Pick<LiveTarget, 'topicId' | 'topic'>>(
    'find_target',
    `SELECT ${TARGET_COLUMNS}, t.id AS "topicId", t.name AS topic FROM event_subscriptions s JOIN topics t ON t.id = s.topic_id
     WHERE s.id = ? AND s.deleted_at IS NULL AND t.deleted_at IS NULL`,
    [subscriptionId],
  );
  if (row === null) return null;
  const { topicId, topic, ...target } = row;
  return { ...targetOf(target), topicId, topic };
}

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
