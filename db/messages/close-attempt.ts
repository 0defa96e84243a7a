import type { EnvironmentTransaction } from '../client.ts';

export interface AttemptEnd {
  /** `abandoned`: the worker was lost before the end of the attempt was recorded. */
  status: 'completed' | 'abandoned';
  responseStatus: number | null;
  error: string | null;
}

/** Closes an attempt, once. Returns false where it was closed before; what it saw must then be ignored. */
export async function closeAttempt(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE message_attempts SET status = :status, response_status = :responseStatus, error = :error, finished_at = now()
     WHERE id = :attemptId AND status = 'started'`,
    { attemptId, status: end.status, responseStatus: end.responseStatus, error: end.error },
  );
  return rowCount === 1;
}
