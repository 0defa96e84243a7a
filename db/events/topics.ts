import { notFound, ServiceError } from '../../domain/errors.ts';
import { matchesEventType, patternsMatching, SERVICE_TOPIC } from '../../domain/events/events.ts';
import { TOPICS_PER_ENVIRONMENT_MAX } from '../../domain/events/topics.ts';
import { isId, newId } from '../../domain/ids.ts';
import { nearNames } from '../../domain/near-names.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { listSimilarNames, nameTaken } from '../names.ts';

/** A topic that is not deleted. */
export interface TopicRecord {
  id: string;
  name: string;
  description: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** For `topics t`. */
const COLUMNS = `t.id, t.name, t.description, t.created_at AS "createdAt", t.updated_at AS "updatedAt"`;
const SERVICE_DESCRIPTION = 'What the service tells of itself.';

/** The topic of an id or a name. `lock`: changes of the topic, and new subscriptions to it, come one after another. */
export async function findTopic(
  tx: EnvironmentTransaction,
  ref: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<TopicRecord | null> {
  const is = isId('topic', ref) ? 't.id = ?' : 't.environment_id = current_environment_id() AND t.name = ?';
  return tx.row<TopicRecord>(
    { variantsOf: 'find_topic' },
    `SELECT ${COLUMNS} FROM topics t WHERE ${is} AND t.deleted_at IS NULL ${lock ? 'FOR NO KEY UPDATE' : ''}`,
    [ref],
  );
}

/** The same; throws NOT_FOUND, with names that may have been meant. */
export async function requireTopic(
  tx: EnvironmentTransaction,
  ref: string,
  options: { lock?: boolean } = {},
): Promise<TopicRecord> {
  const topic = await findTopic(tx, ref, options);
  if (topic !== null) return topic;
  if (isId('topic', ref)) throw notFound('topic');
  throw notFound('topic', { names: nearNames(ref, await listSimilarNames(tx, 'topics', ref)), scope: 'events:read' });
}

/** The topic to subscribe to, locked. The reserved one is made where it is not there yet. Throws NOT_FOUND for any other. */
export async function lockTopicToSubscribe(tx: EnvironmentTransaction, ref: string): Promise<TopicRecord> {
  if (ref === SERVICE_TOPIC) {
    // A transaction that makes it at the same time waits here, and finds it made.
    await tx.raw(
      'lock_topic_to_subscribe',
      `INSERT INTO topics (id, environment_id, name, description) VALUES (:id, current_environment_id(), :name, :description)
       ON CONFLICT (environment_id, name) WHERE deleted_at IS NULL DO NOTHING`,
      { id: newId('topic'), name: SERVICE_TOPIC, description: SERVICE_DESCRIPTION },
    );
  }
  return requireTopic(tx, ref, { lock: true });
}

/** One page of topics, newest first. */
export async function listTopics(
  tx: EnvironmentTransaction,
  asked: { name?: string | undefined } & Range,
): Promise<Page<TopicRecord>> {
  return pageOf(tx, {
    name: 'list_topics',
    columns: COLUMNS,
    from: 'topics t',
    where: 't.environment_id = current_environment_id() AND t.deleted_at IS NULL',
    filters: { name: 't.name = :name' },
    order: 't.created_at DESC, t.id DESC',
    asked,
  });
}

/** Throws CONFLICT where a topic has the name, QUOTA_EXCEEDED at the limit. */
export async function createTopic(
  tx: EnvironmentTransaction,
  { name, description }: Pick<TopicRecord, 'name' | 'description'>,
): Promise<TopicRecord> {
  // Serialized: two requests that counted at the same time would both miss the other's topic.
  await tx.raw(
    'create_topic',
    "SELECT pg_advisory_xact_lock(hashtextextended('topics/' || current_environment_id(), 0))",
  );
  const counted = await tx.raw<{ rows: { live: number }[] }>(
    'create_topic_2',
    'SELECT count(*)::int AS live FROM topics WHERE environment_id = current_environment_id() AND deleted_at IS NULL AND name <> ?',
    [SERVICE_TOPIC],
  );
  if ((counted.rows[0]?.live ?? 0) >= TOPICS_PER_ENVIRONMENT_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `An environment has at most ${TOPICS_PER_ENVIRONMENT_MAX} topics. Delete one that is no longer needed.`,
    });
  }
  const rows = await tx
    .rows<TopicRecord>(
      'create_topic_3',
      `INSERT INTO topics AS t (id, environment_id, name, description) VALUES (:id, current_environment_id(), :name, :description)
       RETURNING ${COLUMNS}`,
      { id: newId('topic'), name, description },
    )
    .catch(nameTaken('topics_live_name', name));
  return one(rows);
}

/** Changes a topic that the same transaction has locked. Throws CONFLICT where another topic has the name. */
export async function updateTopic(
  tx: EnvironmentTransaction,
  { id, name, description }: Pick<TopicRecord, 'id' | 'name' | 'description'>,
): Promise<TopicRecord> {
  const rows = await tx
    .rows<TopicRecord>(
      'update_topic',
      `UPDATE topics t SET name = :name, description = :description, updated_at = now() WHERE t.id = :id RETURNING ${COLUMNS}`,
      { id, name, description },
    )
    .catch(nameTaken('topics_live_name', name));
  return one(rows);
}

/**
 * Deletes a topic that the same transaction has locked: from the commit on neither it, its subscriptions nor its events are found. The
 * sweep deletes their rows in steps, however many they are (`delete_deleted_topics`).
 */
export async function deleteTopic(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('delete_topic', 'UPDATE topics SET deleted_at = now(), updated_at = now() WHERE id = ?', [id]);
}

function one(rows: TopicRecord[]): TopicRecord {
  const [row] = rows;
  if (row === undefined) throw new Error('a topic that was written was not returned');
  return row;
}

/** The id of the reserved topic, where somebody subscribes to it. */
export async function findHeardServiceTopic(tx: EnvironmentTransaction): Promise<string | null> {
  const row = await tx.row<{ id: string }>(
    'find_heard_service_topic',
    `SELECT t.id FROM topics t WHERE t.environment_id = current_environment_id() AND t.name = ? AND EXISTS (
       SELECT FROM event_subscriptions s WHERE s.environment_id = current_environment_id() AND s.of_service AND s.enabled AND s.deleted_at IS NULL)`,
    [SERVICE_TOPIC],
  );
  return row?.id ?? null;
}

/**
 * The types among these that an enabled subscription of the topic wants. One statement, however many types: it reads each pattern of the
 * topic once, and answers those that any of the types can match.
 */
export async function findHeardTypes(
  tx: EnvironmentTransaction,
  topicId: string,
  types: readonly string[],
): Promise<Set<string>> {
  const wanted = [...new Set(types.flatMap(patternsMatching))];
  const rows = await tx.rows<{ pattern: string }>(
    'find_heard_types',
    `SELECT DISTINCT p.pattern FROM event_subscriptions s, unnest(s.event_types) p (pattern)
     WHERE s.topic_id = :topicId AND s.enabled AND s.deleted_at IS NULL AND p.pattern = ANY (CAST(:wanted AS text[]))`,
    { topicId, wanted },
  );
  const patterns = rows.map(({ pattern }) => pattern);
  return new Set(types.filter((type) => matchesEventType(patterns, type)));
}
