import { matchesEventType, patternsMatching } from '../../domain/events/events.ts';
import type { EnvironmentTransaction } from '../client.ts';

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
  const { rows } = await tx.raw<{ rows: { pattern: string }[] }>(
    `SELECT DISTINCT p.pattern FROM event_subscriptions s, unnest(s.event_types) p (pattern)
     WHERE s.topic_id = :topicId AND s.enabled AND s.deleted_at IS NULL AND p.pattern = ANY (CAST(:wanted AS text[]))`,
    { topicId, wanted },
  );
  const patterns = rows.map(({ pattern }) => pattern);
  return new Set(types.filter((type) => matchesEventType(patterns, type)));
}
