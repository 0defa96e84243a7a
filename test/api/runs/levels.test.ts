import { expect, test } from 'vitest';
import { z } from 'zod';
import { spanSchema } from '../../../api/runs/schemas.ts';
import { listSpans } from '../../../db/runs/spans.ts';
import { newId } from '../../../domain/ids.ts';
import { explained } from '../../harness/explained.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

/** A run of 10,000 spans, among others: what one page of one level costs, in rows that PostgreSQL reads and bytes that are answered. */

const SPANS = 10_000;
const CHILDREN = 5_000; // of the root; the others are children of these, but one whose parent never came
const NEIGHBOURS = 60_000;
const LIMIT = 100;
const ROOT = '0000000000000001';

const run = newId('run');
const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
const { environmentId } = api.database.tenant;
for (const [id, count] of [
  [newId('run'), NEIGHBOURS],
  [run, SPANS],
] as const) {
  await api.database.asOwner('INSERT INTO runs (id, environment_id) VALUES ($1, $2)', [id, environmentId]);
  await api.database.asOwner(
    `INSERT INTO spans (run_id, id, environment_id, parent_id, name, kind, status, started_at, input)
       SELECT $1, lpad(to_hex(n), 16, '0'), $2,
         CASE WHEN n = 1 THEN NULL WHEN n = $3 THEN repeat('f', 16) WHEN n <= $4 + 1 THEN $5 ELSE lpad(to_hex(n - $4), 16, '0') END,
         'span ' || n, 'other', 'running', timestamptz '2026-01-01Z' + n * interval '1 ms',
         CASE WHEN n <= 200 THEN to_jsonb(repeat('x', 20000)) END
       FROM generate_series(1, $3::int) n`,
    [id, environmentId, count, CHILDREN, ROOT],
  );
}
await api.database.asOwner('VACUUM ANALYZE spans');

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

interface Scan {
  how: string;
  alias: string;
  rows: number;
}

/** Each scan of spans in a plan, with the rows that it read. */
function scansOf(plan: Plan): Scan[] {
  const { 'Relation Name': relation = '', Alias: alias = '', Plans: plans = [] } = plan;
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const rows = Math.round((plan['Actual Rows'] + removed) * plan['Actual Loops']);
  const own = relation.startsWith('spans') ? [{ how: plan['Node Type'], alias, rows }] : [];
  return [...own, ...plans.flatMap(scansOf)];
}

const rowsOf = (scans: readonly Scan[]): number => scans.reduce((sum, { rows }) => sum + rows, 0);

/** What the two statements of the list read: the count of the level, and the page. */
async function readsOf(parentId: string | null, offset: number): Promise<{ counted: Scan[]; page: Scan[] }> {
  const scans: Scan[][] = [];
  await api.database.db.withEnvironment(api.database.tenant, async (tx) => {
    const explaining = explained(tx, 'ANALYZE', (plan) => scans.push(scansOf(plan as Plan)));
    return listSpans(explaining, run, { parentId, limit: LIMIT, offset });
  });
  const [counted, page] = scans;
  if (counted === undefined || page === undefined) throw new Error('the list has two statements');
  return { counted, page };
}

test.each([0, 300])('a page of 5,000 children is read in order from an index, from %i on', async (offset) => {
  const { counted, page } = await readsOf(ROOT, offset);
  expect([...counted, ...page].map(({ how }) => how)).not.toContain('Seq Scan');
  expect(rowsOf(counted)).toBe(CHILDREN);
  expect(rowsOf(page.filter(({ alias }) => /^s(_\d+)?$/.test(alias)))).toBe(offset + LIMIT);
  // Each of the page has one child and one parent.
  expect(rowsOf(page)).toBe(offset + 3 * LIMIT);
});

test('the roots read the spans of their run twice at most, and none of another run', async () => {
  const { counted, page } = await readsOf(null, 0);
  expect([...counted, ...page].map(({ how }) => how)).not.toContain('Seq Scan');
  expect(rowsOf(counted)).toBeLessThanOrEqual(2 * SPANS);
  expect(rowsOf(page)).toBeLessThanOrEqual(2 * SPANS + CHILDREN + LIMIT);
});

test('a reply has a hundred spans at most, each with shortened members', async () => {
  const list = (query: string) => api.call('GET', `/api/v2/runs/${run}/spans?${query}`, { key });
  const opened = dataOf(await list('limit=100'), z.array(spanSchema));
  expect(opened.map(({ childCount, orphan }) => [childCount, orphan])).toEqual([
    [CHILDREN, false],
    [0, true],
  ]);
  const level = await list(`parentId=${ROOT}&limit=${LIMIT}`);
  expect(dataOf(level, z.array(spanSchema))).toHaveLength(LIMIT);
  expect(level.json).toMatchObject({ pagination: { total: CHILDREN, hasMore: true } });
  expect(level.text.length).toBeLessThan(LIMIT * 4_096);
  expect((await list(`parentId=${ROOT}&limit=${LIMIT + 1}`)).status).toBe(400);
});
