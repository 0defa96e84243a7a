import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';
import { DIFFERENCES, MEND } from './records.ts';

/** A bucket that is not what its records say. */
export interface Difference {
  environmentId: string;
  kind: string;
  /** Whether it is a total: a sum without the open dimensions. */
  isTotal: boolean;
  /** The beginning of its quarter of an hour. */
  quarter: Date;
  d1: string;
  d2: string;
  d3: string;
  /** The bucket of its histogram, or null for the rollup itself. */
  bucket: number | null;
  /** What is missing from it; negative: what it has too many. */
  n: number;
  s1: number;
  s2: number;
}

/** From when, and before when. A null bound is the end of what is kept. */
export interface VerifiedRange {
  from: Date | null;
  to: Date | null;
}

/**
 * Recounts an environment's records and returns the buckets of its rollups that differ. It looks at what is kept still, in one snapshot: what is
 * written meanwhile is in neither.
 */
export async function findDifferences(
  db: Pick<Database, 'withEnvironment'>,
  tenant: Tenant,
  range: VerifiedRange = { from: null, to: null },
): Promise<Difference[]> {
  const { rows } = await db.withEnvironment(tenant, async (tx) => {
    await takeTime(tx);
    return tx.raw<{ rows: Omit<Difference, 'environmentId'>[] }>('find_differences', COMPARED, boundsOf(range));
  });
  return rows.map((row) => ({ environmentId: tenant.environmentId, ...row }));
}

/** Adds what is missing of an environment's rollups, and makes its totals and days what its quarters sum to. Returns how many rows it wrote. */
export async function mendRollups(
  db: Pick<Database, 'withEnvironment' | 'directory'>,
  tenant: Tenant,
): Promise<number> {
  const { rowCount } = await db.withEnvironment(tenant, async (tx) => {
    await takeTime(tx);
    return tx.raw<{ rowCount: number }>('mend_rollups', MEND, boundsOf({ from: null, to: null }));
  });
  const { rows } = await db.directory.raw<{ rows: { mended: number }[] }>(
    'mend_rollups_2',
    'SELECT mend_analytics_sums(?) AS mended',
    [tenant.environmentId],
  );
  return rowCount + (rows[0]?.mended ?? 0);
}

const COMPARED = `SELECT kind, is_total AS "isTotal", quarter, d1, d2, d3, bucket, n::float8 AS n, s1::float8 AS s1, s2::float8 AS s2 FROM (${DIFFERENCES}) d
  ORDER BY kind, quarter, is_total, d1, d2, d3, bucket NULLS FIRST`;

/** A recount looks at every record of the environment. */
async function takeTime(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw('take_time', "SELECT set_config('statement_timeout', '10min', true)");
}

function boundsOf({ from, to }: VerifiedRange): { from: Date | string; to: Date | string } {
  return { from: from ?? '-infinity', to: to ?? 'infinity' };
}
