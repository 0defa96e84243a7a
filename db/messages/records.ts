import type { MessageMethod, MessageStatus } from '../../domain/messages/messages.ts';
import type { Shortened } from '../shortened.ts';
import type { StoredContent } from './message-content.ts';

/** A message as the API shows it. */
export interface MessageRecord {
  id: string;
  url: string;
  method: MessageMethod;
  headers: Record<string, string> | null;
  body: string | null;
  /** Null: the content is gone; it is kept for a shorter time than the record. */
  bodyKind: StoredContent['bodyKind'] | null;
  bodySealed: boolean | null;
  scheduledFor: Date | null;
  status: MessageStatus;
  attempts: number;
  maxRetries: number;
  responseStatus: number | null;
  responseBody: Buffer | null;
  errorMessage: string | null;
  deliveredAt: Date | null;
  failedAt: Date | null;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  flowControlKey: string | null;
  /** The message whose dead letter this one retries. */
  retryOf: string | null;
  label: string | null;
  /** The schedule that published it. */
  scheduleId: string | null;
  /** The URL group that it was published to. */
  urlGroupId: string | null;
  /** Null once it has ended. */
  nextAttemptAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** For lists: large headers are shortened, and so is a large body; `body` is then null. */
export type ListedMessageRecord = Omit<MessageRecord, 'headers'> & {
  headers: Record<string, string> | Shortened | null;
  shortenedBody: Shortened | null;
};

export const MESSAGE_COLUMNS = {
  id: 'messages.id',
  url: 'messages.url',
  method: 'messages.method',
  headers: 'message_contents.headers',
  body: 'message_contents.body',
  bodyKind: 'message_contents.body_kind',
  bodySealed: 'message_contents.body_sealed',
  scheduledFor: 'messages.scheduled_for',
  status: 'messages.status',
  attempts: 'messages.attempts',
  maxRetries: 'messages.max_retries',
  responseStatus: 'messages.response_status',
  errorMessage: 'messages.error_message',
  deliveredAt: 'messages.delivered_at',
  failedAt: 'messages.failed_at',
  callbackUrl: 'messages.callback_url',
  failureCallbackUrl: 'messages.failure_callback_url',
  flowControlKey: 'messages.flow_control_key',
  retryOf: 'messages.retry_of',
  label: 'messages.label',
  scheduleId: 'messages.schedule_id',
  urlGroupId: 'messages.url_group_id',
  nextAttemptAt: `CASE WHEN messages.status IN ('pending', 'scheduled', 'processing') THEN messages.next_attempt_at END`,
  createdAt: 'messages.created_at',
  updatedAt: 'messages.updated_at',
} as const;

/** To `messages`. */
export const CONTENT_JOIN = 'LEFT JOIN message_contents ON message_contents.message_id = messages.id';
export const MESSAGE_TABLES = `messages ${CONTENT_JOIN}`;

/** The response's body of a message's newest ended attempt. A constant id lets the planner open one partition of each class. */
export const responseBodyOf = (id: string): string =>
  `(SELECT a.response_body FROM message_attempts a WHERE a.message_id = ${id} AND a.status <> 'started'
    ORDER BY a.number DESC LIMIT 1) AS "responseBody"`;
