import type { Json } from '../json.ts';
import type { MessageMethod } from './messages.ts';

/** A publish request that has passed its schema (`publishMessageBody` in api/messages/body-schemas.ts, which says what each member means). */
export interface PublishRequest {
  /** Either this, `urlGroup` or `topic`. */
  url?: string | undefined;
  /** The id or the name of a URL group: one message for each of its endpoints. */
  urlGroup?: string | undefined;
  /** The id or the name of a topic: an event whose data is the body. */
  topic?: string | undefined;
  /** The type of that event. */
  eventType?: string | undefined;
  method?: MessageMethod | undefined;
  headers?: Record<string, string> | undefined;
  body?: Json | undefined;
  delay?: number | string | undefined;
  scheduledFor?: string | undefined;
  maxRetries?: number | undefined;
  retryDelay?: string | undefined;
  timeoutSeconds?: number | undefined;
  callbackUrl?: string | undefined;
  failureCallbackUrl?: string | undefined;
  deduplicationId?: string | undefined;
  contentBasedDeduplication?: boolean | undefined;
  label?: string | undefined;
  redact?: Redaction | undefined;
  flowControl?: FlowControlRequest | undefined;
}

/** The flow-control key of a message, with the limits that it brings. */
export interface FlowControlRequest {
  key: string;
  rate?: number | undefined;
  periodSeconds?: number | undefined;
  parallelism?: number | undefined;
}

/** The parts that the publisher wants redacted like credentials. */
export interface Redaction {
  body?: boolean | undefined;
  /** All headers, or these. */
  headers?: boolean | string[] | undefined;
}
