import type { Json } from '../../domain/json.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface AttemptEnd {
  observedOutcome: Outcome;
  refusal: Refusal | null;
  error: string | null;
  response: Json;
}

/** Completes a started attempt. Returns false where it was abandoned meanwhile: the answer is then late evidence only. */
export async function completeAttempt(
  tx: EnvironmentTransaction,
  attemptId: string,
  end: AttemptEnd,
): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE attempts SET status = 'completed', finished_at = now(), observed_outcome = :observedOutcome, refusal = :refusal,
       error = :error, response = :response
     WHERE id = :attemptId AND status = 'started'`,
    {
      attemptId,
      ...end,
      refusal: end.refusal === null ? null : JSON.stringify(end.refusal),
      response: end.response === null ? null : JSON.stringify(end.response),
    },
  );
  return rowCount === 1;
}

/** Abandons a started attempt whose worker was lost, or that no worker took up. */
export async function abandonAttempt(
  tx: EnvironmentTransaction,
  attemptId: string,
  end: { observedOutcome: Outcome; error: string },
): Promise<void> {
  await tx.raw(
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), observed_outcome = :observedOutcome, error = :error
     WHERE id = :attemptId AND status = 'started'`,
    { attemptId, ...end },
  );
}
