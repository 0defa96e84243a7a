import type { EnvironmentTransaction } from '../client.ts';

/** What the latest attempt saw. */
export interface SeenResponse {
  status: number | null;
  headers: Record<string, string> | null;
  /** At most 8 KiB, with credentials removed. */
  body: Buffer | null;
}

export type Outcome =
  { kind: 'delivered' } | { kind: 'failed'; error: string } | { kind: 'retry'; error: string; delayMs: number };

/** Writes the result of an attempt to its message. The response itself is in the attempt. The caller holds the row's lock and has closed the attempt. */
export async function recordOutcome(
  tx: EnvironmentTransaction,
  messageId: string,
  responseStatus: number | null,
  outcome: Outcome,
): Promise<void> {
  await tx.raw(
    `UPDATE messages SET response_status = :responseStatus, error_message = :error, updated_at = now(), status = CASE WHEN :kind = 'retry' THEN status ELSE :kind END,
       delivered_at = CASE WHEN :kind = 'delivered' THEN now() ELSE delivered_at END,
       failed_at = CASE WHEN :kind = 'failed' THEN now() ELSE failed_at END,
       next_attempt_at = CASE WHEN :kind = 'retry' THEN clock_timestamp() + :delayMs * interval '1 millisecond' ELSE next_attempt_at END
     WHERE id = :messageId AND status = 'processing'`,
    {
      messageId,
      kind: outcome.kind,
      responseStatus,
      error: outcome.kind === 'delivered' ? null : outcome.error,
      delayMs: outcome.kind === 'retry' ? outcome.delayMs : 0,
    },
  );
}
