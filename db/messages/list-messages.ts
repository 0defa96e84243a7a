import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_MEMBER_BYTES_MAX, shortenedColumn } from '../shortened.ts';
import { type ListedMessageRecord, MESSAGE_COLUMNS, MESSAGE_TABLES, responseBodyOf } from './records.ts';

const { body: _body, headers: _headers, ...SHOWN_COLUMNS } = MESSAGE_COLUMNS;
const IS_LARGE = `(octet_length(message_contents.body) > ${LISTED_MEMBER_BYTES_MAX})`;
/** For MESSAGE_TABLES: body and headers, large ones shortened. */
export const CONTENT_COLUMNS = `${shortenedColumn('message_contents.headers')} AS headers,
  CASE WHEN NOT ${IS_LARGE} THEN message_contents.body END AS body,
  CASE WHEN ${IS_LARGE} THEN shortened_text(message_contents.body, ${LISTED_MEMBER_BYTES_MAX}) END AS "shortenedBody"`;

export interface MessageFilter {
  status?: MessageStatus | undefined;
  /** Exclusive. */
  startDate?: Date | undefined;
  /** Exclusive. */
  endDate?: Date | undefined;
  /** The destination, exactly as published. */
  url?: string | undefined;
  label?: string | undefined;
  scheduleId?: string | undefined;
  includeEventDeliveries: boolean;
  limit: number;
  offset: number;
}

/** Newest first, ties by id, with large bodies and headers shortened. `total` counts the matches of the filter. */
export async function listMessages(
  tx: EnvironmentTransaction,
  filter: MessageFilter,
): Promise<{ total: number; items: ListedMessageRecord[] }> {
  const where = `WHERE messages.environment_id = current_environment_id()
    AND (CAST(:status AS text) IS NULL OR messages.status = :status) AND (CAST(:url AS text) IS NULL OR messages.url = :url)
    AND (CAST(:label AS text) IS NULL OR messages.label = :label)
    AND (CAST(:scheduleId AS text) IS NULL OR messages.schedule_id = :scheduleId)
    AND (CAST(:startDate AS timestamptz) IS NULL OR messages.created_at > :startDate)
    AND (CAST(:endDate AS timestamptz) IS NULL OR messages.created_at < :endDate)
    AND (:includeEventDeliveries OR messages.kind <> 'event')`;
  const bindings = {
    status: filter.status ?? null,
    url: filter.url ?? null,
    label: filter.label ?? null,
    scheduleId: filter.scheduleId ?? null,
    startDate: filter.startDate ?? null,
    endDate: filter.endDate ?? null,
    includeEventDeliveries: filter.includeEventDeliveries,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM messages ${where}`,
    bindings,
  );
  const page = await tx.raw<{ rows: ListedMessageRecord[] }>(
    `SELECT ${selected(SHOWN_COLUMNS)}, ${CONTENT_COLUMNS}, ${responseBodyOf('messages.id')} FROM ${MESSAGE_TABLES} ${where}
     ORDER BY messages.created_at DESC, messages.id DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, limit: filter.limit, offset: filter.offset },
  );
  return { total: counted.rows[0]?.total ?? 0, items: page.rows };
}
