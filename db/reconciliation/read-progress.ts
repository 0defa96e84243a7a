import type { EnvironmentTransaction } from '../client.ts';

/** The progress of a reconciliation, for a start or a resumption. */
export interface ReconciliationProgress {
  exhausted: boolean;
  /** Since the outcome became unknown; for a provider-side `pending`, since the dispatch. */
  unknownForMs: number;
  dispatchedForMs: number;
  /** Since the settlement; 0 before it. */
  settledForMs: number;
}

export async function readProgress(tx: EnvironmentTransaction, effectId: string): Promise<ReconciliationProgress> {
  const { rows } = await tx.raw<{ rows: ReconciliationProgress[] }>(
    `SELECT reconcile_exhausted AS exhausted,
       GREATEST(0, EXTRACT(EPOCH FROM now() - COALESCE(outcome_at, first_dispatched_at)) * 1000)::double precision AS "unknownForMs",
       GREATEST(0, EXTRACT(EPOCH FROM now() - first_dispatched_at) * 1000)::double precision AS "dispatchedForMs",
       CASE WHEN stage = 'settled' THEN GREATEST(0, EXTRACT(EPOCH FROM now() - outcome_at) * 1000) ELSE 0 END::double precision AS "settledForMs"
     FROM effects WHERE id = ?`,
    [effectId],
  );
  const progress = rows[0];
  if (!progress) throw new Error(`effect ${effectId} is gone`);
  return progress;
}
