import type { EnvironmentTransaction } from '../client.ts';

/** What the newest attempt saw of the destination. */
export interface SeenResponse {
  status: number | null;
  headers: Record<string, string> | null;
  /** At most 8 KiB, credentials removed. */
  body: Buffer | null;
}

export type Outcome =
  { kind: 'delivered' } | { kind: 'failed'; error: string } | { kind: 'retry'; error: string; delayMs: number };

/** Writes what an attempt came to. The caller holds the row's lock and has closed the attempt. */
export async function recordOutcome(
  tx: EnvironmentTransaction,
  messageId: string,
  seen: SeenResponse,
  outcome: Outcome,
): Promise<void> {
  await tx('messages')
    .where({ id: messageId, status: 'processing' })
    .update({
      response_status: seen.status,
      response_headers: seen.headers === null ? null : JSON.stringify(seen.headers),
      response_body: seen.body,
      error_message: outcome.kind === 'delivered' ? null : outcome.error,
      updated_at: tx.fn.now(),
      ...(outcome.kind === 'delivered' ? { status: 'delivered', delivered_at: tx.fn.now() } : {}),
      ...(outcome.kind === 'failed' ? { status: 'failed', failed_at: tx.fn.now() } : {}),
      ...(outcome.kind === 'retry'
        ? { next_attempt_at: tx.expression(`clock_timestamp() + ? * interval '1 millisecond'`, [outcome.delayMs]) }
        : {}),
    });
}
