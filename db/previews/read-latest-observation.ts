import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** An observation on record. `recordedAt` is the clock of the database, as the times of decisions are. */
export type RecordedObservation = Observation & { recordedAt: Date };

/** The latest observation for an invocation; null where there is none. */
export async function readLatestObservation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<RecordedObservation | null> {
  const { rows } = await tx.raw<{ rows: RecordedObservation[] }>(
    `SELECT observed_at AS "observedAt", preconditions, blocks, refusal, summary, recorded_at AS "recordedAt"
     FROM observations WHERE invocation_id = ? ORDER BY sequence DESC LIMIT 1`,
    [invocationId],
  );
  return rows[0] ?? null;
}
