import type { DeadLetterFilter, DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import { selected, type Shortened, shortenedColumn } from '../columns.ts';
import {
  type ListedMessageRecord,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRecord,
  responseBodyOf,
} from '../messages/records.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { CONTENT_COLUMNS } from '../messages/queries.ts';

/** What a dead letter says beside its message. */
export interface DeadLetterFacts {
  reason: DeadLetterReason;
  lastAttemptAt: Date | null;
  responseHeaders: Record<string, string> | null;
}

export type DeadLetterRecord = MessageRecord & DeadLetterFacts;
export type ListedDeadLetterRecord = ListedMessageRecord &
  Omit<DeadLetterFacts, 'responseHeaders'> & { responseHeaders: DeadLetterFacts['responseHeaders'] | Shortened };

/** For `dead_letters d` with DEAD_LETTER_JOINS. */
const FACTS = {
  reason: 'd.reason',
  lastAttemptAt: 'd.last_attempt_at',
} as const;

/** To `dead_letters d`. */
const DEAD_LETTER_JOINS = `JOIN (${MESSAGE_TABLES}) ON messages.id = d.message_id`;
const responseWith = (
  headers: string,
): string => `${responseBodyOf('d.message_id')}, (SELECT ${headers} FROM message_attempts a
  WHERE a.message_id = d.message_id AND a.status <> 'started' ORDER BY a.number DESC LIMIT 1) AS "responseHeaders"`;
const DEAD_LETTER_COLUMNS = `${selected({ ...MESSAGE_COLUMNS, ...FACTS })}, ${responseWith('a.response_headers')}`;
const { body: _body, headers: _headers, ...SHOWN } = MESSAGE_COLUMNS;
/** Without body and headers, which CONTENT_COLUMNS has. */
const LISTED_DEAD_LETTER_COLUMNS = `${selected({ ...SHOWN, ...FACTS })}, ${responseWith(shortenedColumn('a.response_headers'))}`;

/** The id of the live group that has this name, or what was given, where it is no such name. */
const GROUP_ID = `COALESCE((
    SELECT g.id FROM url_groups g
    WHERE g.environment_id = current_environment_id() AND g.name = :urlGroup AND g.deleted_at IS NULL), :urlGroup)`;

const matching = (groupId: string): string => `d.environment_id = current_environment_id()
  AND (CAST(:url AS text) IS NULL OR d.url = :url)
  AND (CAST(:urlGroup AS text) IS NULL OR d.url_group_id = ${groupId})
  AND (CAST(:scheduleId AS text) IS NULL OR d.schedule_id = :scheduleId)
  AND (CAST(:responseStatus AS integer) IS NULL OR d.response_status = :responseStatus)
  AND (CAST(:label AS text) IS NULL OR d.label = :label)
  AND (CAST(:reason AS text) IS NULL OR d.reason = :reason)
  AND (CAST(:startDate AS timestamptz) IS NULL OR d.failed_at > :startDate)
  AND (CAST(:endDate AS timestamptz) IS NULL OR d.failed_at < :endDate)`;

/** The condition of a filter on `dead_letters d`. Every filter is the same text, so that a statement is prepared once. */
const MATCHES = matching(GROUP_ID);
/** The same for a filter that names its group by id alone (`withGroupId`). */
export const MATCHES_BY_ID = matching(':urlGroup');

/**
 * The filter with the id of the group that has the name now, for later use: the group may be renamed, and another one may take its name.
 */
export async function withGroupId(tx: EnvironmentTransaction, filter: DeadLetterFilter): Promise<DeadLetterFilter> {
  const { urlGroup } = filter;
  if (urlGroup === undefined) return filter;
  const row = await tx.row<{ id: string }>('with_group_id', `SELECT ${GROUP_ID} AS id`, { urlGroup });
  return { ...filter, urlGroup: row?.id ?? urlGroup };
}

export function bindingsOf(filter: DeadLetterFilter) {
  return {
    url: filter.url ?? null,
    urlGroup: filter.urlGroup ?? null,
    scheduleId: filter.scheduleId ?? null,
    responseStatus: filter.responseStatus ?? null,
    label: filter.label ?? null,
    reason: filter.reason ?? null,
    startDate: filter.startDate ?? null,
    endDate: filter.endDate ?? null,
  };
}

/** Those that failed last first, ties by id, with large bodies and headers shortened. */
export async function listDeadLetters(
  tx: EnvironmentTransaction,
  filter: DeadLetterFilter,
  range: Range,
): Promise<Page<ListedDeadLetterRecord>> {
  return pageOf(tx, {
    name: 'list_dead_letters',
    columns: `${LISTED_DEAD_LETTER_COLUMNS}, ${CONTENT_COLUMNS}`,
    from: 'dead_letters d',
    joins: DEAD_LETTER_JOINS,
    where: MATCHES,
    order: 'd.failed_at DESC, d.message_id DESC',
    asked: { ...bindingsOf(filter), ...range },
  });
}

export async function getDeadLetter(tx: EnvironmentTransaction, messageId: string): Promise<DeadLetterRecord | null> {
  return tx.row<DeadLetterRecord>(
    'get_dead_letter',
    `SELECT ${DEAD_LETTER_COLUMNS} FROM dead_letters d ${DEAD_LETTER_JOINS} WHERE d.message_id = ?`,
    [messageId],
  );
}

/** The groups are made of the newest records, so that their cost does not grow with the queue. */
export const STATS_EXAMINED_MAX = 20_000;
const TOP_URLS = 10;

export interface DeadLetterStats {
  total: number;
  oldestAt: Date | null;
  newestAt: Date | null;
  /** How many of the newest records the groups are made of. */
  examined: number;
  byReason: { reason: DeadLetterReason; count: number }[];
  byResponseStatus: { responseStatus: number | null; count: number }[];
  topUrls: { url: string; count: number }[];
}

export async function readDeadLetterStats(tx: EnvironmentTransaction): Promise<DeadLetterStats> {
  const stats = await tx.row<DeadLetterStats>('read_dead_letter_stats', STATS, {
    examined: STATS_EXAMINED_MAX,
    top: TOP_URLS,
  });
  if (stats === null) throw new Error('a count answers one row');
  return stats;
}

/** The total is counted in an index; oldest and newest are its ends. */
const STATS = `
  WITH newest AS MATERIALIZED (
    SELECT d.reason, d.response_status, d.url FROM dead_letters d WHERE d.environment_id = current_environment_id()
    ORDER BY d.failed_at DESC, d.message_id DESC LIMIT :examined)
  SELECT (SELECT count(*)::int FROM dead_letters d WHERE d.environment_id = current_environment_id()) AS total,
    (SELECT failed_at FROM dead_letters d WHERE d.environment_id = current_environment_id()
      ORDER BY d.failed_at, d.message_id LIMIT 1) AS "oldestAt",
    (SELECT failed_at FROM dead_letters d WHERE d.environment_id = current_environment_id()
      ORDER BY d.failed_at DESC, d.message_id DESC LIMIT 1) AS "newestAt",
    (SELECT count(*)::int FROM newest) AS examined,
    COALESCE((SELECT json_agg(json_build_object('reason', g.reason, 'count', g.count) ORDER BY g.count DESC, g.reason)
      FROM (SELECT reason, count(*)::int AS count FROM newest GROUP BY reason) g), '[]') AS "byReason",
    COALESCE((SELECT json_agg(json_build_object('responseStatus', g.response_status, 'count', g.count) ORDER BY g.count DESC, g.response_status)
      FROM (SELECT response_status, count(*)::int AS count FROM newest GROUP BY response_status) g), '[]') AS "byResponseStatus",
    COALESCE((SELECT json_agg(json_build_object('url', g.url, 'count', g.count) ORDER BY g.count DESC, g.url)
      FROM (SELECT url, count(*)::int AS count FROM newest GROUP BY url ORDER BY count DESC, url LIMIT :top) g), '[]') AS "topUrls"`;
