import { type Page, pageOf, type Range } from '../page.ts';
import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { LISTED_MEMBER_BYTES_MAX, shortenedColumn } from '../shortened.ts';
import { type ListedMessageRecord, CONTENT_JOIN, MESSAGE_COLUMNS, responseBodyOf } from './records.ts';

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
