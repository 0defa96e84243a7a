import { ServiceError } from '../../domain/errors.ts';
import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import { SUBSCRIPTIONS_PER_TOPIC_MAX } from '../../domain/events/topics.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { openContent, sealContent } from '../messages/records.ts';
import { openedOrConflict, type SealedSecret, type SecretContext, type Vault } from '../secrets/vault.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { type Shortened, withShortened } from '../columns.ts';
import type { TopicRecord } from './topics.ts';

/** The headers of a subscription as its row has them: the values of credentials in `sealed` alone. */
interface SealedHeaders {
  headers: Record<string, string> | null;
  sealed: SealedSecret | null;
}

/** The associated data of a subscription's sealed headers. No secret's name holds a slash, so the two never collide. */
export function subscriptionAssociatedData(
  { workspaceId, environmentId }: Tenant,
  subscriptionId: string,
): SecretContext {
  return { workspaceId, environmentId, name: `subscription/${subscriptionId}`, version: 1 };
}

/** And of one of its secrets. */
export function subscriptionSecretAssociatedData(
  { workspaceId, environmentId }: Tenant,
  secretId: string,
): SecretContext {
  return { workspaceId, environmentId, name: `subscription-secret/${secretId}`, version: 1 };
}

export function sealHeaders(
  vault: Pick<Vault, 'seal'>,
  tenant: Tenant,
  subscriptionId: string,
  given: Record<string, string> | null,
): SealedHeaders {
  const content = { headers: given, body: null };
  const { headers, sealed } = sealContent(vault, subscriptionAssociatedData(tenant, subscriptionId), content, null);
  return { headers, sealed };
}

/**
 * The headers as they are sent.
 *
 * @throws {ServiceError} CONFLICT where their sealed values do not open.
 */
export function openHeaders(
  vault: Pick<Vault, 'open'>,
  tenant: Tenant,
  subscriptionId: string,
  { headers, sealed }: SealedHeaders,
): Record<string, string> | null {
  const stored = { headers, body: null, bodyKind: 'none', bodySealed: false, sealed } as const;
  return openedOrConflict(
    () => openContent(vault, subscriptionAssociatedData(tenant, subscriptionId), stored).headers,
    'The sealed headers of the subscription do not open. Give their values anew.',
  );
}

/** A subscription that is not deleted, nor its topic, as it may be shown. */
export interface SubscriptionRecord {
  id: string;
  topicId: string;
  topic: string;
  url: string;
  eventTypes: string[];
  enabled: boolean;
  hasCustomSecret: boolean;
  /** The values of credentials replaced. */
  headers: Record<string, string> | null;
  /** By the service, because it kept failing. */
  disabledAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export type LockedSubscription = SubscriptionRecord & { sealed: SealedSecret | null };

/** For `event_subscriptions s JOIN topics t`. */
const COLUMNS = `s.id, s.topic_id AS "topicId", t.name AS topic, s.url, s.event_types AS "eventTypes", s.enabled,
  EXISTS (SELECT FROM event_subscription_secrets c WHERE c.subscription_id = s.id) AS "hasCustomSecret",
  s.headers, s.disabled_at AS "disabledAt", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;
const LIVE = `event_subscriptions s JOIN topics t ON t.id = s.topic_id AND t.deleted_at IS NULL`;

export async function getSubscription(tx: EnvironmentTransaction, id: string): Promise<SubscriptionRecord | null> {
  return tx.row<SubscriptionRecord>(
    'get_subscription',
    `SELECT ${COLUMNS} FROM ${LIVE} WHERE s.id = ? AND s.deleted_at IS NULL`,
    [id],
  );
}

/** Locks a subscription until the transaction ends: its changes and the rotations of its secret come one after another. */
export async function lockSubscription(tx: EnvironmentTransaction, id: string): Promise<LockedSubscription | null> {
  const locked = await tx.raw<{ rows: unknown[] }>(
    'lock_subscription',
    'SELECT FROM event_subscriptions WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
    [id],
  );
  if (locked.rows.length === 0) return null;
  // A statement of its own, which sees the secret that another committed while this transaction waited for the lock.
  type Row = SubscriptionRecord & { [Column in keyof SealedSecret]: SealedSecret[Column] | null };
  const row = await tx.row<Row>(
    'lock_subscription_2',
    `SELECT ${COLUMNS}, s.master_key_version AS "masterKeyVersion", s.wrapped_data_key AS "wrappedDataKey", s.sealed_value AS "sealedValue"
     FROM ${LIVE} WHERE s.id = ? AND s.deleted_at IS NULL`,
    [id],
  );
  if (row === null) return null;
  const { masterKeyVersion, wrappedDataKey, sealedValue, ...record } = row;
  const isSealed = masterKeyVersion !== null && wrappedDataKey !== null && sealedValue !== null;
  return { ...record, sealed: isSealed ? { masterKeyVersion, wrappedDataKey, sealedValue } : null };
}

/** In a list, large headers are shortened. */
export type ListedSubscription = Omit<SubscriptionRecord, 'headers'> & {
  headers: SubscriptionRecord['headers'] | Shortened;
};

const LISTED_COLUMNS = withShortened(COLUMNS, 's', ['headers']);

/** One page of a topic's subscriptions, newest first. */
export async function listSubscriptions(
  tx: EnvironmentTransaction,
  asked: { topicId: string } & Range,
): Promise<Page<ListedSubscription>> {
  return pageOf(tx, {
    name: 'list_subscriptions',
    columns: LISTED_COLUMNS,
    from: 'event_subscriptions s',
    joins: 'JOIN topics t ON t.id = s.topic_id',
    where: 's.topic_id = :topicId AND s.deleted_at IS NULL',
    order: 's.created_at DESC, s.id DESC',
    asked,
  });
}

export interface NewSubscription {
  id: string;
  url: string;
  eventTypes: readonly string[];
  enabled: boolean;
  headers: SealedHeaders;
}

/** Subscribes to a topic that the same transaction has locked. Throws QUOTA_EXCEEDED where it has as many as it may. */
export async function insertSubscription(
  tx: EnvironmentTransaction,
  topic: Pick<TopicRecord, 'id' | 'name'>,
  { headers, ...plain }: NewSubscription,
): Promise<void> {
  const row = await tx.row<{ live: number }>(
    'insert_subscription',
    'SELECT count(*)::int AS live FROM event_subscriptions WHERE topic_id = ? AND deleted_at IS NULL',
    [topic.id],
  );
  if ((row?.live ?? 0) >= SUBSCRIPTIONS_PER_TOPIC_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A topic has at most ${SUBSCRIPTIONS_PER_TOPIC_MAX} subscriptions. Delete one that is no longer needed.`,
    });
  }
  await tx.raw(
    'insert_subscription_2',
    `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types, enabled, headers, master_key_version,
       wrapped_data_key, sealed_value)
     VALUES (:id, current_environment_id(), :topicId, :ofService, :url, :eventTypes, :enabled, CAST(:shown AS jsonb), :masterKeyVersion,
       :wrappedDataKey, :sealedValue)`,
    { ...plain, ...headerColumns(headers), topicId: topic.id, ofService: topic.name === SERVICE_TOPIC },
  );
}

/** Changes a subscription that the same transaction has locked. Enabling it forgets its failures. `headers` left out: they stay. */
export async function updateSubscription(
  tx: EnvironmentTransaction,
  { headers, ...plain }: Omit<NewSubscription, 'headers'> & { headers?: SealedHeaders | undefined },
): Promise<void> {
  await tx.raw(
    'update_subscription',
    `UPDATE event_subscriptions SET url = :url, event_types = :eventTypes, enabled = :enabled, updated_at = now(),
       -- Its row is locked: what was published while that was waited for came before.
       enabled_at = CASE WHEN :enabled AND NOT enabled THEN clock_timestamp() ELSE enabled_at END,
       disabled_at = CASE WHEN NOT :enabled THEN disabled_at END,
       failing_since = CASE WHEN enabled OR NOT :enabled THEN failing_since END,
       last_failure_at = CASE WHEN enabled OR NOT :enabled THEN last_failure_at END,
       clock_runs = (enabled OR NOT :enabled) AND clock_runs
     WHERE id = :id`,
    plain,
  );
  if (headers === undefined) return;
  await tx.raw(
    'update_subscription_2',
    `UPDATE event_subscriptions SET headers = CAST(:shown AS jsonb), master_key_version = :masterKeyVersion,
       wrapped_data_key = :wrappedDataKey, sealed_value = :sealedValue WHERE id = :id`,
    { ...headerColumns(headers), id: plain.id },
  );
}

/** Deletes a subscription that the same transaction has locked. Its row stays while messages of it are under way, for their secret. */
export async function deleteSubscription(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw(
    'delete_subscription',
    'UPDATE event_subscriptions SET deleted_at = now(), updated_at = now() WHERE id = ?',
    [id],
  );
}

function headerColumns({ headers, sealed }: SealedHeaders) {
  return {
    shown: headers === null ? null : JSON.stringify(headers),
    masterKeyVersion: sealed?.masterKeyVersion ?? null,
    wrappedDataKey: sealed?.wrappedDataKey ?? null,
    sealedValue: sealed?.sealedValue ?? null,
  };
}
