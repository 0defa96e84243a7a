import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import { selected } from '../columns.ts';
import {
  type ListedMessageRecord,
  MESSAGE_COLUMNS,
  MESSAGE_TABLES,
  type MessageRecord,
  responseBodyOf,
} from '../messages/records.ts';
import { type Shortened, shortenedColumn } from '../shortened.ts';

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
export const DEAD_LETTER_JOINS = `JOIN (${MESSAGE_TABLES}) ON messages.id = d.message_id`;
const responseWith = (
  headers: string,
): string => `${responseBodyOf('d.message_id')}, (SELECT ${headers} FROM message_attempts a
  WHERE a.message_id = d.message_id AND a.status <> 'started' ORDER BY a.number DESC LIMIT 1) AS "responseHeaders"`;
export const DEAD_LETTER_COLUMNS = `${selected({ ...MESSAGE_COLUMNS, ...FACTS })}, ${responseWith('a.response_headers')}`;
const { body: _body, headers: _headers, ...SHOWN } = MESSAGE_COLUMNS;
/** Without body and headers, which CONTENT_COLUMNS has. */
export const LISTED_DEAD_LETTER_COLUMNS = `${selected({ ...SHOWN, ...FACTS })}, ${responseWith(shortenedColumn('a.response_headers'))}`;
