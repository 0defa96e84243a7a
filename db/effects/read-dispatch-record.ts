import type { DispatchRecord } from '../../domain/settlement.ts';
import { findDispatchAttempt } from '../attempts/find-dispatch-attempt.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The record of an invocation's dispatch, as input for `settlementOf`. Null before the fence. */
export async function readDispatchRecord(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<(DispatchRecord & { attemptId: string }) | null> {
  const [attempt, evidence] = await tx.inOrder(
    () => findDispatchAttempt(tx, invocationId),
    () =>
      tx.raw<{ rows: (DispatchRecord['evidence'][number] & { ambiguous: boolean })[] }>(
        `SELECT v.source, v.implied_outcome AS "impliedOutcome", v.summary,
         CASE v.source WHEN 'provider_response' THEN NOT COALESCE((v.details ->> 'replay')::boolean, false)
           ELSE v.details ->> 'kind' = 'absent' END AS "ofFirstRequest",
         v.source = 'provider_lookup' AND COALESCE(v.details ->> 'kind' = 'ambiguous', false) AS ambiguous
       FROM evidence v JOIN effects e ON e.id = v.effect_id JOIN receipt_entries r ON r.record_id = v.id AND r.kind = 'evidence'
       WHERE e.invocation_id = ? AND v.source IN ('provider_response', 'provider_lookup') ORDER BY r.sequence`,
        [invocationId],
      ),
  );
  if (!attempt) return null;
  const { id: attemptId, unansweredReplay, ...ofAttempt } = attempt;
  const ambiguous = evidence.rows.some((each) => each.ambiguous);
  return { attemptId, attempt: ofAttempt, unansweredReplay, ambiguous, evidence: evidence.rows };
}
