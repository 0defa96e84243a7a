import { DAY_MS } from '../../domain/analytics/grid.ts';
import type { Database, Tenant } from '../client.ts';
import { listEveryEnvironment } from '../environments/directory.ts';
import { type Difference, findDifferences } from './verify-rollups.ts';

const SAMPLE_ENVIRONMENTS = 5;

/**
 * Compares the last whole UTC day of a few environments with its records, once a UTC day in the whole installation. Returns null when that was done today.
 */
export async function verifySample(
  db: Database,
  now: Date,
): Promise<{ environments: number; differences: Difference[] } | null> {
  const { rows } = await db.directory.raw<{ rows: { claimed: boolean }[] }>(
    'verify_sample',
    'SELECT claim_analytics_verification() AS claimed',
  );
  if (rows[0]?.claimed !== true) return null;
  const to = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const from = new Date(to.getTime() - DAY_MS);
  const sample = sampleOf(await listEveryEnvironment(db));
  const differences: Difference[] = [];
  for (const tenant of sample) differences.push(...(await findDifferences(db, tenant, { from, to })));
  return { environments: sample.length, differences };
}

function sampleOf(tenants: readonly Tenant[]): Tenant[] {
  return tenants
    .map((tenant) => ({ tenant, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, SAMPLE_ENVIRONMENTS)
    .map(({ tenant }) => tenant);
}
