import type { EnvironmentTransaction } from '../client.ts';

export interface AttemptEnd {
  /** abandoned: whoever made it was lost before its end was on record. */
  status: 'completed' | 'abandoned';
  responseStatus: number | null;
  error: string | null;
}

/** Closes an attempt, once. False where it was closed before: then nothing of what it saw counts. */
export async function closeAttempt(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE message_attempts SET status = :status, response_status = :responseStatus, error = :error, finished_at = now()
     WHERE id = :attemptId AND status = 'started'`,
    { attemptId, status: end.status, responseStatus: end.responseStatus, error: end.error },
  );
  return rowCount === 1;
}
