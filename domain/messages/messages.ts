/** Messages: what the API, the workflow and the activities agree on. See docs/messages.md. */

export const MESSAGE_STATUSES = ['pending', 'scheduled', 'processing', 'delivered', 'failed', 'cancelled'] as const;
/**
 * pending: accepted and due. scheduled: due later. processing: an attempt is under way, or it waits for its next one.
 * The other three are ends.
 */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
export type MessageEnd = Extract<MessageStatus, 'delivered' | 'failed' | 'cancelled'>;
export type LiveMessageStatus = Exclude<MessageStatus, MessageEnd>;

export const LIVE_MESSAGE_STATUSES = [
  'pending',
  'scheduled',
  'processing',
] as const satisfies readonly LiveMessageStatus[];

/** Whether a message has not ended. */
export function isLiveMessage(status: MessageStatus): status is LiveMessageStatus {
  return (LIVE_MESSAGE_STATUSES as readonly MessageStatus[]).includes(status);
}

export const MESSAGE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type MessageMethod = (typeof MESSAGE_METHODS)[number];

/** A message of a caller, the callback of one, or the delivery of an event. */
/** Why no usable answer of the destination came. */
export type AttemptFailure = 'timeout' | 'connection' | 'blocked';

export type MessageKind = 'message' | 'callback' | 'event' | 'alert';

export const MAX_RETRIES_DEFAULT = 5;
export const MAX_RETRIES_MAX = 20;
export const TIMEOUT_SECONDS_DEFAULT = 30;
export const TIMEOUT_SECONDS_MAX = 300;
export const BATCH_ITEMS_MAX = 1_000;
/** What one publish or batch makes of messages, those for the endpoints of URL groups counted one by one. */
export const MESSAGES_PER_REQUEST_MAX = 1_000;
/** And of their content together: each endpoint of a group has a copy. */
export const CONTENT_PER_REQUEST_BYTES_MAX = 16 * 1024 * 1024;
export const DEDUPLICATION_WINDOW_MINUTES = 10;
export const RESPONSE_READ_BYTES_MAX = 64 * 1024;
export const RESPONSE_STORED_BYTES_MAX = 8 * 1024;

/** Where a message's rows are found: what a workflow holds of it. */
export interface MessageRef {
  messageId: string;
  workspaceId: string;
  environmentId: string;
}

/** What the workflow of a message waits for. The row of the message decides. */
export type DeliveryStep =
  /** The next attempt, or the first, is due in so many milliseconds. */
  | { next: 'wait'; dueInMs: number }
  /** It is in its lane, or an attempt is under way; the workflow is signalled when that has ended. */
  | { next: 'attempt' }
  | { next: 'end'; status: MessageEnd };
