import type { Json } from '../../domain/json.ts';
import type { AttemptStatus, Outcome } from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface DispatchAttempt {
  id: string;
  status: AttemptStatus;
  claimed: boolean;
  observedOutcome: Outcome | null;
  refusal: Refusal | null;
  error: string | null;
  response: Json;
  /** A replay of it was claimed, and its result is not known yet. */
  unansweredReplay: boolean;
}

/**
 * The one dispatch of an invocation, with an answer that came after it was abandoned; null before the fence. The row is locked
 * until the transaction ends, so that a settlement waits for a claim or a record that is about to commit.
 */
export async function findDispatchAttempt(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<DispatchAttempt | null> {
  const { rows } = await tx.raw<{ rows: DispatchAttempt[] }>(
    `SELECT a.id, a.status, a.claimed_at IS NOT NULL AS claimed, COALESCE(l.observed_outcome, a.observed_outcome) AS "observedOutcome",
       a.refusal, CASE WHEN l.attempt_id IS NULL THEN a.error ELSE l.error END AS error, COALESCE(l.response, a.response) AS response,
       EXISTS (SELECT FROM attempts p LEFT JOIN late_answers q ON q.attempt_id = p.id
               WHERE p.invocation_id = a.invocation_id AND p.kind = 'replay' AND p.claimed_at IS NOT NULL
                 AND COALESCE(q.observed_outcome, p.observed_outcome, 'unknown') = 'unknown') AS "unansweredReplay"
     FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
     WHERE a.invocation_id = ? AND a.kind = 'dispatch' FOR UPDATE OF a`,
    [invocationId],
  );
  return rows[0] ?? null;
}
