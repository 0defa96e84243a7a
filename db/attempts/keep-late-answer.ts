import type { EnvironmentTransaction } from '../client.ts';
import type { AttemptEnd } from './close-attempt.ts';

/**
 * Stores an answer that arrived after its attempt was abandoned. Returns false where it is stored already: an earlier try
 * committed, and its confirmation was lost.
 */
export async function keepLateAnswer(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `INSERT INTO late_answers (attempt_id, environment_id, observed_outcome, error, response)
     VALUES (:attemptId, current_environment_id(), :observedOutcome, :error, :response) ON CONFLICT DO NOTHING`,
    {
      attemptId,
      observedOutcome: end.observedOutcome,
      error: end.error,
      response: end.response === null ? null : JSON.stringify(end.response),
    },
  );
  return rowCount === 1;
}
