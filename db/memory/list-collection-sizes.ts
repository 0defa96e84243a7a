import type { EnvironmentTransaction } from '../client.ts';

export interface VectorCount {
  dimensions: number;
  vectors: number;
}

/** How many vectors of which dimensions an environment has, those of superseded versions too. */
export async function countVectors(tx: EnvironmentTransaction): Promise<VectorCount[]> {
  const { rows } = await tx.raw<{ rows: VectorCount[] }>(
    `SELECT v.dimensions, count(*)::int AS vectors FROM memory_vectors v
     WHERE v.environment_id = current_environment_id() GROUP BY v.dimensions ORDER BY v.dimensions`,
  );
  return rows;
}
