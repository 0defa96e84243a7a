import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The latest observation for an invocation; null where there is none. */
export async function readLatestObservation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<Observation | null> {
  const { rows } = await tx.raw<{ rows: Observation[] }>(
    `SELECT observed_at AS "observedAt", preconditions, blocks, refusal, summary
     FROM observations WHERE invocation_id = ? ORDER BY sequence DESC LIMIT 1`,
    [invocationId],
  );
  return rows[0] ?? null;
}
