import { expect, test } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { createRun, updateRun } from '../../../db/runs/changes.ts';
import { listRuns } from '../../../db/runs/queries.ts';
import { explained } from '../../harness/explained.ts';
import { createTestDatabase } from '../../harness/database.ts';

/** The filter by tag reads the runs with the tag, among many without it and many of a neighbour with it. */
const OTHERS = 20_000;
const TAGGED = 40;

const database = await createTestDatabase();
const neighbour = database.tenants.staging;
await plant(database.tenant, OTHERS, 'common');
await plant(neighbour, OTHERS, 'rare');
await plant(database.tenant, TAGGED, 'rare');
await database.asOwner('VACUUM ANALYZE runs');
await database.asOwner('VACUUM ANALYZE run_tags');

async function plant({ environmentId }: Tenant, count: number, tag: string): Promise<void> {
  await database.asOwner(
    `INSERT INTO runs (id, environment_id, tags)
     SELECT run_id_floor(now() - n * interval '10 ms') || $3, $1, ARRAY['a', $4] FROM generate_series(1, $2::int) n`,
    [environmentId, count, environmentId + tag, tag],
  );
}

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** The rows that the scans of a plan read. */
function rowsRead(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = plan['Relation Name'] === undefined ? 0 : (plan['Actual Rows'] + removed) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

async function listTagged(tag: string): Promise<{ total: number; tags: unknown[]; reads: number }> {
  const seen = { reads: 0 };
  const { items, total } = await database.db.withEnvironment(database.tenant, async (tx) => {
    const explaining = explained(tx, 'ANALYZE', (plan) => {
      seen.reads += rowsRead(plan as Plan);
    });
    return listRuns(explaining, { tag, limit: 20, offset: 0 });
  });
  return { total, tags: items.map((item) => item.tags), reads: seen.reads };
}

test('the filter by tag reads the runs with the tag', async () => {
  const { total, tags, reads } = await listTagged('rare');
  expect([total, tags]).toEqual([TAGGED, Array.from({ length: 20 }, () => ['a', 'rare'])]);
  // The tag and the run, for the count and for the page.
  expect(reads).toBeLessThanOrEqual(4 * TAGGED);
});

test('a run is found by the tags that it has now, once', async () => {
  const empty = { name: null, agentId: null, agentVersion: null, userId: null, application: null, input: null };
  const run = { ...empty, metadata: null, traceId: null, startedAt: null, tags: ['first', 'twice', 'twice'] };
  const found = async (): Promise<string[]> => {
    const names = ['first', 'twice', 'second'];
    const lists = await Promise.all(names.map(async (tag) => ({ tag, total: (await listTagged(tag)).total })));
    return lists.flatMap(({ tag, total }) => Array.from({ length: total }, () => tag));
  };
  const change = (tags: string[] | null) =>
    database.db.withEnvironment(database.tenant, (tx) => updateRun(tx, id, { tags }));
  const { id } = await database.db.withEnvironment(database.tenant, (tx) => createRun(tx, run));
  expect(await found()).toEqual(['first', 'twice']);
  await change(['second', 'twice']);
  expect(await found()).toEqual(['twice', 'second']);
  await change(null);
  expect(await found()).toEqual([]);
});
