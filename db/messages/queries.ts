import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LISTED_MEMBER_BYTES_MAX, selected, shortenedColumn } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import {
  CONTENT_JOIN,
  type ListedMessageRecord,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRecord,
  responseBodyOf,
} from './records.ts';

export async function getMessage(tx: EnvironmentTransaction, messageId: string): Promise<MessageRecord | null> {
  const { rows } = await tx.raw<{ rows: MessageRecord[] }>(
    'get_message',
    `SELECT ${selected(MESSAGE_COLUMNS)}, ${responseBodyOf(':messageId')} FROM ${MESSAGE_TABLES} WHERE messages.id = :messageId`,
    { messageId },
  );
  return rows[0] ?? null;
}

const { body: _body, headers: _headers, ...SHOWN_COLUMNS } = MESSAGE_COLUMNS;
const IS_LARGE = `(octet_length(message_contents.body) > ${LISTED_MEMBER_BYTES_MAX})`;
/** For CONTENT_JOIN: body and headers, large ones shortened. */
export const CONTENT_COLUMNS = `${shortenedColumn('message_contents.headers')} AS headers,
  CASE WHEN NOT ${IS_LARGE} THEN message_contents.body END AS body,
  CASE WHEN ${IS_LARGE} THEN shortened_text(message_contents.body, ${LISTED_MEMBER_BYTES_MAX}) END AS "shortenedBody"`;

export interface MessageFilter extends Range {
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
}

/** Newest first, ties by id, with large bodies and headers shortened. `total` counts the matches of the filter. */
export async function listMessages(
  tx: EnvironmentTransaction,
  filter: MessageFilter,
): Promise<Page<ListedMessageRecord>> {
  return pageOf(tx, {
    name: 'list_messages_messages',
    columns: `${selected(SHOWN_COLUMNS)}, ${CONTENT_COLUMNS}, ${responseBodyOf('messages.id')}`,
    from: 'messages',
    joins: CONTENT_JOIN,
    where: `messages.environment_id = current_environment_id() AND (:includeEventDeliveries OR messages.kind <> 'event')`,
    filters: {
      status: 'messages.status = :status',
      url: 'messages.url = :url',
      label: 'messages.label = :label',
      scheduleId: 'messages.schedule_id = :scheduleId',
      startDate: 'messages.created_at > :startDate',
      endDate: 'messages.created_at < :endDate',
    },
    order: 'messages.created_at DESC, messages.id DESC',
    asked: filter,
  });
}

/** An attempt as the API shows it. Credentials that were sent are removed from what the destination answered. */
export interface MessageAttemptRecord {
  number: number;
  /** `abandoned`: the worker was lost before the end was on record. */
  status: 'started' | 'completed' | 'abandoned';
  startedAt: Date;
  finishedAt: Date | null;
  latencyMs: number | null;
  address: string | null;
  responseStatus: number | null;
  responseHeaders: Record<string, string> | null;
  /** At most 8 KiB. */
  responseBody: Buffer | null;
  error: string | null;
  worker: string | null;
}

const COLUMNS: Record<keyof MessageAttemptRecord, string> = {
  number: 'a.number',
  status: 'a.status',
  startedAt: 'a.started_at',
  finishedAt: 'a.finished_at',
  latencyMs: 'a.latency_ms',
  address: 'a.address',
  responseStatus: 'a.response_status',
  responseHeaders: 'a.response_headers',
  responseBody: 'a.response_body',
  error: 'a.error',
  worker: 'a.worker',
};

/** The attempts of a message, the first one first. They are kept as long as its content (docs/retention.md). */
export async function listAttempts(
  tx: EnvironmentTransaction,
  messageId: string,
  range: Range,
): Promise<Page<MessageAttemptRecord>> {
  return pageOf(tx, {
    name: 'list_messages_attempts',
    columns: selected(COLUMNS),
    from: 'message_attempts a',
    where: 'a.message_id = :messageId',
    order: 'a.number',
    asked: { messageId, ...range },
  });
}
