import type { AttemptStatus, Outcome } from '../../domain/lifecycle.ts';
import type { Json } from '../../domain/json.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** The progress of an attempt. The row is locked until the transaction ends. */
export async function findAttempt(
  tx: EnvironmentTransaction,
  attemptId: string,
): Promise<{ status: AttemptStatus; claimed: boolean }> {
  const attempt = await tx.row<{ status: AttemptStatus; claimed: boolean }>(
    'find_attempt',
    'SELECT status, claimed_at IS NOT NULL AS claimed FROM attempts WHERE id = ? FOR UPDATE',
    [attemptId],
  );
  if (!attempt) throw new RecordGone(`attempt ${attemptId} is gone`);
  return attempt;
}

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
  const { rowCount } = await tx.raw<{ rowCount: number }>('complete_attempt', COMPLETE, completing(attemptId, end));
  return rowCount === 1;
}

/** The same in a packet: it refuses (`refuse`) where the attempt is not open. */
export async function completeOrRefuse(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<void> {
  await tx.raw(
    'complete_or_refuse',
    `WITH completed AS (${COMPLETE} RETURNING id) SELECT refuse('{}') WHERE NOT EXISTS (SELECT FROM completed)`,
    completing(attemptId, end),
  );
}

const COMPLETE = `
  UPDATE attempts SET status = 'completed', finished_at = now(), observed_outcome = :observedOutcome, refusal = :refusal,
    error = :error, response = :response
  WHERE id = :attemptId AND status = 'started'`;

function completing(attemptId: string, end: AttemptEnd) {
  return { attemptId, ...end, refusal: jsonOrNull(end.refusal), response: jsonOrNull(end.response) };
}

/** A null column, in place of the JSON value null. */
export function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Abandons a started attempt whose worker was lost, or that no worker took up. */
export async function abandonAttempt(
  tx: EnvironmentTransaction,
  attemptId: string,
  end: { observedOutcome: Outcome; error: string },
): Promise<void> {
  await tx.raw(
    'abandon_attempt',
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), observed_outcome = :observedOutcome, error = :error
     WHERE id = :attemptId AND status = 'started'`,
    { attemptId, ...end },
  );
}

/**
 * Stores an answer that arrived after its attempt was abandoned. Returns false where it is stored already: an earlier try
 * committed, and its confirmation was lost.
 */
export async function keepLateAnswer(tx: EnvironmentTransaction, attemptId: string, end: AttemptEnd): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'keep_late_answer',
    `INSERT INTO late_answers (attempt_id, environment_id, observed_outcome, error, response)
     VALUES (:attemptId, current_environment_id(), :observedOutcome, :error, :response) ON CONFLICT DO NOTHING`,
    {
      attemptId,
      observedOutcome: end.observedOutcome,
      error: end.error,
      response: jsonOrNull(end.response),
    },
  );
  return rowCount === 1;
}
