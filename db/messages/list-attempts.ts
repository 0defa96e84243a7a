import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';

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
    columns: selected(COLUMNS),
    from: 'message_attempts a',
    where: 'a.message_id = :messageId',
    order: 'a.number',
    asked: { messageId, ...range },
  });
}
