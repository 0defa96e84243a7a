import type { MessageKind, MessageMethod } from '../../domain/messages/messages.ts';
import type { Redaction } from '../../domain/messages/publish-request.ts';
import type { SealedSecret } from '../secrets/vault.ts';
import type { StoredContent } from './records.ts';

/** The part of a message that an attempt needs. */
export interface MessageWork {
  id: string;
  kind: MessageKind;
  url: string;
  method: MessageMethod;
  /** Null after the content was deleted, some time after the message's end. */
  content: StoredContent | null;
  redact: Redaction | null;
  label: string | null;
  scheduleId: string | null;
  urlGroupId: string | null;
  flowControlKeyId: string | null;
  /** Set for the delivery of an event. */
  subscriptionId: string | null;
  /** The number of the attempt that is under way. */
  attempt: number;
  /** How many attempts before this one were lost with their worker. */
  lostAttempts: number;
  maxRetries: number;
  retryDelaysMs: number[] | null;
  timeoutSeconds: number;
  callbackUrl: string | null;
  failureCallbackUrl: string | null;
  publishedBy: { type: string; id: string | null };
  createdAt: Date;
}

export type WorkRow = Omit<MessageWork, 'content'> &
  Omit<StoredContent, 'sealed' | 'bodyKind'> & { bodyKind: StoredContent['bodyKind'] | null } & {
    [Column in keyof SealedSecret]: SealedSecret[Column] | null;
  };

/** The columns of a `WorkRow`, of `messages m` and `message_contents c`; `number` and `lost` are the SQL of the attempt. */
export const workColumns = ({ number, lost }: { number: string; lost: string }): string =>
  `m.id, m.kind, m.url, m.method, m.redact, m.label, m.schedule_id AS "scheduleId",
  m.url_group_id AS "urlGroupId", m.flow_control_key_id AS "flowControlKeyId", m.subscription_id AS "subscriptionId", ${number} AS attempt,
  ${lost} AS "lostAttempts",
  m.max_retries AS "maxRetries", m.retry_delays_ms AS "retryDelaysMs", m.timeout_seconds AS "timeoutSeconds",
  m.callback_url AS "callbackUrl", m.failure_callback_url AS "failureCallbackUrl", m.published_by AS "publishedBy",
  m.created_at AS "createdAt", c.headers, c.body, c.body_kind AS "bodyKind", c.body_sealed AS "bodySealed",
  c.master_key_version AS "masterKeyVersion", c.wrapped_data_key AS "wrappedDataKey", c.sealed_value AS "sealedValue"`;

export function workOf(row: WorkRow): MessageWork {
  const { headers, body, bodyKind, bodySealed, masterKeyVersion, wrappedDataKey, sealedValue, ...work } = row;
  if (bodyKind === null) return { ...work, content: null };
  const sealed =
    masterKeyVersion === null || wrappedDataKey === null || sealedValue === null
      ? null
      : { masterKeyVersion, wrappedDataKey, sealedValue };
  return { ...work, content: { headers, body, bodyKind, bodySealed, sealed } };
}
