import type { AttemptFailure } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { MessageWork } from './lock-message.ts';
import type { SeenResponse } from './record-outcome.ts';
import { classesOf } from './retention-classes.ts';

export interface AttemptEnd {
  /** `abandoned`: the worker was lost before the end of the attempt was recorded. */
  status: 'completed' | 'abandoned';
  seen: SeenResponse;
  /** Why no usable answer came; null where one came, or where nobody knows. */
  failure: AttemptFailure | null;
  error: string | null;
  /** The address that was dialled; null where none was, or where nobody knows. */
  address: string | null;
  /** How long the call took; null where nobody knows. */
  latencyMs: number | null;
}

/** Closes an attempt, once. Returns false where it was closed before; what it saw must then be ignored. */
export async function closeAttempt(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  number: number,
  end: AttemptEnd,
): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(`${CLOSE_ATTEMPT} AND retention = ANY (:classes)`, {
    messageId,
    classes: classesOf(retention),
    number,
    ...closingValues(end),
  });
  return rowCount === 1;
}

/** In every partition: the caller adds where it looks. */
export const CLOSE_ATTEMPT = `UPDATE message_attempts SET status = :status, response_status = :responseStatus,
    response_headers = :responseHeaders, response_body = :responseBody, failure = :failure, error = :error, address = :address, latency_ms = :latencyMs,
    finished_at = now()
  WHERE message_id = :messageId AND number = :number AND status = 'started'`;

export function closingValues({ status, seen, failure, error, address, latencyMs }: AttemptEnd) {
  const responseHeaders = seen.headers === null ? null : JSON.stringify(seen.headers);
  return { status, responseStatus: seen.status, responseHeaders, responseBody: seen.body, failure, error, address, latencyMs };
}
