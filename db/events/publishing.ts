import { newId } from '../../domain/ids.ts';
import { PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import { notFound, ServiceError, validationError } from '../../domain/errors.ts';
import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import type { InternalEventType } from '../../domain/events/event-types.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { admitToBudget } from '../budgets/admission.ts';
import { refuseWhileHalted } from '../environments/halt.ts';
import type { Publisher } from '../messages/accept/accept-messages.ts';
import { consumeAllowance, refuseUsedUp } from '../plans/allowances.ts';
import { type EventRecord, getEvent, type Publishing } from './events.ts';
import { findHeardTypes, requireTopic, type TopicRecord } from './topics.ts';

interface NewEvent {
  topicId: string;
  /** Its publisher's id for it. */
  ownId: string | null;
  type: string;
  /** JSON. */
  data: string;
  occurredAt: Date;
  publishedBy: Publishing;
  /** Whether a subscription wants its type (`findHeardTypes`): it is to be fanned out. */
  isHeard: boolean;
  /** 1: its one message is made in the same transaction. */
  deliveries?: 0 | 1;
}

/** As the class of its messages (db/messages/insert-messages.ts). */
const RETENTION = `(SELECT CASE plan ${PLANS.map((plan) => `WHEN '${plan}' THEN '${PLAN_TABLE[plan].messageRetention}'`).join(' ')} END
  FROM workspaces WHERE id = current_workspace_id())`;

/**
 * Accepts an event, to be fanned out. Where nobody subscribes to its type it is fanned out at once. Null where its publisher's id was
 * used before: that event stands.
 */
export async function insertEvent(
  tx: EnvironmentTransaction,
  event: NewEvent,
): Promise<{ id: string; isFannedOut: boolean } | null> {
  const id = newId('event');
  const { ownId, publishedBy, deliveries = 0, ...rest } = event;
  const rows = await tx.rows<{ isFannedOut: boolean }>(
    'insert_event',
    `INSERT INTO events (id, environment_id, topic_id, public_id, type, data, occurred_at, published_by, retention, deliveries, status, fanned_out_at)
     SELECT :id, current_environment_id(), :topicId, :publicId, :type, CAST(:data AS json), :occurredAt, CAST(:publishedBy AS jsonb), ${RETENTION}, CAST(:deliveries AS integer),
       CASE WHEN :isHeard THEN 'fanning_out' ELSE 'fanned_out' END, CASE WHEN NOT :isHeard THEN now() END
     ON CONFLICT (environment_id, public_id) DO NOTHING RETURNING fanned_out_at IS NOT NULL AS "isFannedOut"`,
    { ...rest, id, deliveries, publicId: ownId ?? id, publishedBy: JSON.stringify(publishedBy) },
  );
  return rows[0] === undefined ? null : { id, isFannedOut: rows[0].isFannedOut };
}

/** An event as its publisher asks for it, checked. */
export interface EventRequest {
  /** The id or the name of a topic. */
  topic: string;
  type: string;
  /** JSON. */
  data: string;
  /** Its publisher's id for it. */
  ownId: string | null;
  /** Defaults to now. */
  occurredAt: Date | null;
}

export interface AcceptedEvent extends Pick<EventRecord, 'id' | 'status'> {
  /** True: an event with this id was there, and it is that one. */
  deduplicated: boolean;
}

/**
 * Accepts events of a caller, all in the given transaction, and answers one result for each in order: for one that cannot be published
 * as it is (its topic, its id) the error. Their fan-outs are started after the commit, and by the sweep where that is lost. The budget
 * counts every event that was asked for. `takeAllowance` takes from that of the month.
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE while the environment is halted; BUDGET_EXCEEDED. Nothing is accepted then.
 */
export async function acceptEvents(
  tx: EnvironmentTransaction,
  { publishesWhileHalted, apiKeyId, publishedBy }: Omit<Publisher, 'tenant'>,
  requests: readonly EventRequest[],
): Promise<(AcceptedEvent | ServiceError)[]> {
  if (requests.length === 0) return [];
  if (!publishesWhileHalted) await refuseWhileHalted(tx);
  const topics = await findTopics(tx, requests);
  if (apiKeyId !== null) await admitToBudget(tx, { apiKeyId, kind: 'events', count: requests.length });
  const heard = await findHeard(tx, topics, requests);
  const results: (AcceptedEvent | ServiceError)[] = [];
  for (const { topic: ref, occurredAt, ...given } of requests) {
    const topic = topics.get(ref) ?? notFound('topic');
    if (topic instanceof ServiceError) results.push(topic);
    else {
      const isHeard = heard.get(topic.id)?.has(given.type) ?? false;
      results.push(await accept(tx, topic, { ...given, occurredAt: occurredAt ?? new Date(), publishedBy, isHeard }));
    }
  }
  return results;
}

/**
 * Takes the cost of accepted events from the month's allowance of messages: one for each event that no subscription gets, since it is
 * kept. The fan-out takes the cost of the other events as it makes their messages. Call it last in the transaction: budgets are locked
 * before allowances everywhere.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED where not enough is left, or no message of a fan-out could be made.
 */
export async function takeAllowance(
  tx: EnvironmentTransaction,
  results: readonly (AcceptedEvent | ServiceError)[],
): Promise<void> {
  const accepted = results.filter((result) => !(result instanceof ServiceError));
  const fresh = accepted.filter(({ deduplicated }) => !deduplicated);
  if (fresh.length === 0) return;
  await refuseUsedUp(tx, 'egress');
  await refuseUsedUp(tx, 'messages');
  const unheard = fresh.filter(({ status }) => status === 'fanned_out').length;
  if (unheard > 0) await consumeAllowance(tx, 'messages', unheard);
}

/** Both in a transaction that accepts nothing else. */
export async function publishEvents(
  tx: EnvironmentTransaction,
  publisher: Omit<Publisher, 'tenant'>,
  requests: readonly EventRequest[],
): Promise<(AcceptedEvent | ServiceError)[]> {
  const results = await acceptEvents(tx, publisher, requests);
  await takeAllowance(tx, results);
  return results;
}

/** The types that somebody wants, by the id of their topic. */
async function findHeard(
  tx: EnvironmentTransaction,
  topics: ReadonlyMap<string, TopicRecord | ServiceError>,
  requests: readonly EventRequest[],
): Promise<Map<string, Set<string>>> {
  const types = new Map<string, string[]>();
  for (const { topic: ref, type } of requests) {
    const topic = topics.get(ref);
    if (topic === undefined || topic instanceof ServiceError) continue;
    const ofTopic = types.get(topic.id);
    if (ofTopic === undefined) types.set(topic.id, [type]);
    else ofTopic.push(type);
  }
  const heard = new Map<string, Set<string>>();
  for (const [topicId, ofTopic] of types) heard.set(topicId, await findHeardTypes(tx, topicId, ofTopic));
  return heard;
}

/** The same for one event, as its record shows it; throws the error. */
export async function publishEvent(
  tx: EnvironmentTransaction,
  publisher: Omit<Publisher, 'tenant'>,
  request: EventRequest,
): Promise<{ event: EventRecord; deduplicated: boolean }> {
  const [accepted] = await publishEvents(tx, publisher, [request]);
  if (accepted === undefined) throw new Error('an event was accepted without a result');
  if (accepted instanceof ServiceError) throw accepted;
  const event = await getEvent(tx, accepted.id);
  if (event === null) throw new Error(`event ${accepted.id} was accepted and is not there`);
  return { event, deduplicated: accepted.deduplicated };
}

async function accept(
  tx: EnvironmentTransaction,
  topic: TopicRecord,
  event: Omit<NewEvent, 'topicId'>,
): Promise<AcceptedEvent | ServiceError> {
  const made = await insertEvent(tx, { ...event, topicId: topic.id });
  if (made === null) return sameEvent(tx, event, topic);
  return { id: made.id, status: made.isFannedOut ? 'fanned_out' : 'fanning_out', deduplicated: false };
}

/** The event that holds the id. An id that means two things is a mistake of its publisher, who must hear of it. */
async function sameEvent(
  tx: EnvironmentTransaction,
  { ownId, type }: Omit<NewEvent, 'topicId'>,
  topic: TopicRecord,
): Promise<AcceptedEvent | ServiceError> {
  if (ownId === null) throw new Error('an event without an id of its own was there before');
  const earlier = await getEvent(tx, ownId);
  if (earlier !== null && earlier.topicId === topic.id && earlier.type === type) {
    return { id: earlier.id, status: earlier.status, deduplicated: true };
  }
  const other = earlier === null ? 'of a topic that was deleted' : `of type ${earlier.type} on topic ${earlier.topic}`;
  return new ServiceError('CONFLICT', {
    message: `The id ${ownId} is that of an event ${other}. Give each event of an environment an id of its own.`,
  });
}

/** The topics that are named, or why one cannot be published to. */
async function findTopics(
  tx: EnvironmentTransaction,
  requests: readonly EventRequest[],
): Promise<Map<string, TopicRecord | ServiceError>> {
  const found = new Map<string, TopicRecord | ServiceError>();
  for (const ref of new Set(requests.map(({ topic }) => topic))) found.set(ref, await publishable(tx, ref));
  return found;
}

async function publishable(tx: EnvironmentTransaction, ref: string): Promise<TopicRecord | ServiceError> {
  try {
    if (ref === SERVICE_TOPIC) return reserved();
    const topic = await requireTopic(tx, ref);
    return topic.name === SERVICE_TOPIC ? reserved() : topic;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function reserved(): ServiceError {
  const message = 'is the reserved topic of platform events: only the service publishes to it';
  return validationError([{ path: 'body.topic', message }]);
}

/**
 * Puts an event about the whole workspace into the outbox of each of its environments, in the transaction of what it reports. `toChannels`
 * is true in the data of one of them, a production environment where there is one, so that the channels hear of it once.
 */
export async function raiseInWorkspace(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  type: InternalEventType,
  data: JsonObject,
): Promise<void> {
  await tx.raw('raise_in_workspace', 'SELECT raise_workspace_event(:type, CAST(:data AS jsonb))', {
    type,
    data: JSON.stringify(data),
  });
}

/** Puts an event into the outbox that no trigger raises, in the transaction of what it tells of. */
export async function raiseInternalEvent(
  tx: EnvironmentTransaction,
  type: InternalEventType,
  data: JsonObject,
): Promise<void> {
  await tx.raw(
    'raise_internal_event',
    `INSERT INTO raised_events (environment_id, type, snapshot) VALUES (current_environment_id(), :type, CAST(:data AS jsonb))`,
    { type, data: JSON.stringify(data) },
  );
}
