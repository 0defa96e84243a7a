import type { EnvironmentTransaction } from '../client.ts';

export interface AttemptEnd {
  /** abandoned: whoever made it was lost before its end was on record. */
  status: 'completed' | 'abandoned';
  responseStatus: number | null;
  error: string | null;
}

/** Closes an attempt, once. False where it was closed before: then nothing of what it saw counts. */
export async function closeAttempt(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<boolean> {
  const changed = await tx('message_attempts').where({ id: attemptId, status: 'started' }).update({
    status: end.status,
    response_status: end.responseStatus,
    error: end.error,
    finished_at: tx.fn.now(),
  });
  return changed === 1;
}
