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
  bodyKind: StoredContent['bodyKind'];
  bodySealed: boolean;
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
  createdAt: Date;
  updatedAt: Date;
}

/** For lists: a large body is shortened, and `body` is then null. */
export type ListedMessageRecord = MessageRecord & { shortenedBody: Shortened | null };

export const MESSAGE_COLUMNS = {
  id: 'messages.id',
  url: 'messages.url',
  method: 'messages.method',
  headers: 'messages.headers',
  body: 'messages.body',
  bodyKind: 'messages.body_kind',
  bodySealed: 'messages.body_sealed',
  scheduledFor: 'messages.scheduled_for',
  status: 'messages.status',
  attempts: 'messages.attempts',
  maxRetries: 'messages.max_retries',
  responseStatus: 'messages.response_status',
  responseBody: 'messages.response_body',
  errorMessage: 'messages.error_message',
  deliveredAt: 'messages.delivered_at',
  failedAt: 'messages.failed_at',
  callbackUrl: 'messages.callback_url',
  failureCallbackUrl: 'messages.failure_callback_url',
  flowControlKey: 'messages.flow_control_key',
  createdAt: 'messages.created_at',
  updatedAt: 'messages.updated_at',
} as const;
