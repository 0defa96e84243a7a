import type { Json } from '../../domain/json.ts';
import type { AttemptStatus, Outcome, Refusal } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface DispatchAttempt {
  id: string;
  status: AttemptStatus;
  claimed: boolean;
  observedOutcome: Outcome | null;
  refusal: Refusal | null;
  error: string | null;
  response: Json;
}

/**
 * The one dispatch of an invocation, or null before it was marked. Locked until the transaction ends: a claim or a record
 * that is about to commit is waited for, so that nobody settles from what was true a moment ago.
 */
export async function findDispatchAttempt(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<DispatchAttempt | null> {
  const { rows } = await tx.raw<{ rows: DispatchAttempt[] }>(
    `SELECT id, status, claimed_at IS NOT NULL AS claimed, observed_outcome AS "observedOutcome", refusal, error, response
     FROM attempts WHERE invocation_id = ? AND kind = 'dispatch' FOR UPDATE`,
    [invocationId],
  );
  return rows[0] ?? null;
}
