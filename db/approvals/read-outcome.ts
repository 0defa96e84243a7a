import type { Grade, InvocationStatus } from '../../domain/lifecycle.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What became of the invocation that an approval was asked for. */
export interface OutcomeAfter {
  status: InvocationStatus;
  grade: Grade;
  error: string | null;
  refusalCode: RefusalCode | null;
  /** The HTTP status of the provider's answer; null where none came. */
  answered: number | null;
  /** The id that the provider gave it. */
  providerReference: string | null;
  settledAt: Date | null;
}

export async function readOutcome(tx: EnvironmentTransaction, invocationId: string): Promise<OutcomeAfter | null> {
  const { rows } = await tx.raw<{ rows: OutcomeAfter[] }>(
    `SELECT i.status, COALESCE(e.grade, i.grade) AS grade, i.error, i.refusal_code AS "refusalCode",
       CAST(i.result ->> 'status' AS integer) AS answered, e.provider_reference AS "providerReference", i.settled_at AS "settledAt"
     FROM invocations i LEFT JOIN effects e ON e.invocation_id = i.id WHERE i.id = ?`,
    [invocationId],
  );
  return rows[0] ?? null;
}
