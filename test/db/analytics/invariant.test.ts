import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { foldAllFacts, foldFacts } from '../../../db/analytics/directory.ts';
import { findDifferences, mendRollups } from '../../../db/analytics/verification.ts';
import type { Tenant } from '../../../db/client.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { History } from './history.ts';
import { connectOwners } from './owners.ts';

/** At any commit the rollups and the facts together are what a recount of the records says, for every bucket. */

const database = await createTestDatabase();
const [owner, other] = await connectOwners(database);
afterAll(async () => {
  await owner?.end();
  await other?.end();
});

/** A row for each bucket of the histograms of quarters. */
const HISTOGRAMS = `SELECT environment_id, kind, is_total, quarter, d1, d2, d3, unnest(buckets) AS bucket, unnest(counts) AS n FROM analytics_rollups`;
/** Days that are not what their quarters sum to, and sums below zero. */
const unsound = () =>
  database.asOwner(`
    SELECT kind, is_total, day, d1, d2, d3, q.n, q.s1, q.s2, y.n AS n_of_day, y.s1 AS s1_of_day, y.s2 AS s2_of_day
      FROM (SELECT environment_id, kind, is_total, (quarter AT TIME ZONE 'UTC')::date AS day, d1, d2, d3, sum(n) AS n, sum(s1) AS s1, sum(s2) AS s2
        FROM analytics_rollups GROUP BY 1, 2, 3, 4, 5, 6, 7) q
      FULL JOIN analytics_days y USING (environment_id, kind, is_total, day, d1, d2, d3) WHERE (q.n, q.s1, q.s2) IS DISTINCT FROM (y.n, y.s1, y.s2)
    UNION ALL SELECT kind, is_total, (quarter AT TIME ZONE 'UTC')::date, d1, d2, d3, n, s1, s2, NULL, NULL, NULL
      FROM analytics_rollups WHERE n < 0 AND NOT EXISTS (SELECT FROM analytics_facts)`);
const unsoundHistograms = () =>
  database.asOwner(`
    SELECT * FROM (SELECT environment_id, kind, is_total, (quarter AT TIME ZONE 'UTC')::date AS day, d1, d2, d3, bucket, sum(n) AS n
        FROM (${HISTOGRAMS}) h GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) q
      FULL JOIN (SELECT *, unnest(buckets) AS bucket, unnest(counts) AS n_of_bucket FROM analytics_days) y
        USING (environment_id, kind, is_total, day, d1, d2, d3, bucket)
    WHERE COALESCE(q.n, 0) <> COALESCE(y.n_of_bucket, 0)`);
/** Totals are what the rollups sum to without their open dimensions: none is of an open one, and each closed one has all of its records. */
const unsoundTotals = (from: string, more: string) =>
  database.asOwner(`
    SELECT environment_id, kind, quarter, d1, analytics_total(kind, 2, d2) AS d2, analytics_total(kind, 3, d3) AS d3${more} FROM (${from}) r
    GROUP BY 1, 2, 3, 4, 5, 6${more} HAVING sum(CASE WHEN is_total THEN n ELSE -n END) <> 0`);
/** Rows whose histogram says as a text what its arrays do not. */
const unsoundTexts = () =>
  database.asOwner(`
    SELECT kind, quarter, buckets, counts, histogram FROM (TABLE analytics_rollups UNION ALL TABLE analytics_days) r
    WHERE split_part(histogram, ';', 1) <> array_to_string(buckets, ',') OR split_part(histogram, ';', 2) <> array_to_string(counts, ',')
      OR (histogram IS NULL) <> (buckets IS NULL)`);
const expectSound = async (): Promise<void> => {
  expect(await unsound()).toEqual([]);
  expect(await unsoundHistograms()).toEqual([]);
  expect(await unsoundTexts()).toEqual([]);
  expect(await unsoundTotals('TABLE analytics_rollups', '')).toEqual([]);
  expect(await unsoundTotals(HISTOGRAMS, ', bucket')).toEqual([]);
};
const factsLeft = async (): Promise<number> =>
  Number((await database.asOwner<{ n: string }>('SELECT count(*) AS n FROM analytics_facts'))[0]?.n);
const foldAll = (): Promise<void> => foldAllFacts(database.db);

const MOVES = [
  'createInvocation',
  'moveInvocation',
  'acceptMessages',
  'moveMessage',
  'moveApproval',
  'moveRun',
  'moveSchedule',
] as const;
type Step =
  | { do: (typeof MOVES)[number] | 'fold' | 'fold twice' | 'fold and roll back' | 'change plan'; choice: number }
  | { do: 'leave open'; choice: number };
const choice = fc.integer({ min: 0, max: 10_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom(...MOVES), choice }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('fold' as const, 'fold twice' as const, 'fold and roll back' as const),
      choice,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('leave open' as const, 'change plan' as const), choice }) },
);

/** A transaction that stays open over the next steps, with a record of its own. */
class OpenTransaction {
  private history: History | null = null;
  private readonly tenant: Tenant;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  async toggle(choice: number): Promise<void> {
    if (this.history !== null) {
      await other.query(choice % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
      this.history = null;
      return;
    }
    const history = await History.begin(other, this.tenant);
    await other.query('BEGIN');
    await history.acceptMessages(choice);
    await history.moveMessage(1);
    this.history = history;
  }

  async end(): Promise<void> {
    if (this.history !== null) await this.toggle(0);
  }
}

async function take(history: History, open: OpenTransaction, workspaceId: string, one: Step): Promise<void> {
  const most = 1 + (one.choice % 40);
  switch (one.do) {
    case 'fold':
      await foldFacts(database.db, most);
      return;
    case 'fold twice':
      await Promise.all([foldFacts(database.db, most), foldFacts(database.db, most)]);
      return;
    case 'fold and roll back':
      await owner.query('BEGIN');
      await owner.query('SELECT fold_analytics_facts($1)', [most]);
      await owner.query('ROLLBACK');
      return;
    case 'change plan':
      await database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, one.choice % 2 === 0 ? 'free' : 'enterprise'));
      return;
    case 'leave open':
      return open.toggle(one.choice);
    default:
      return history[one.do](one.choice);
  }
}

describe('rollups and facts', () => {
  it('are what the records say, whatever ends, is corrected or taken back, and whenever they are folded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const { development: tenant } = await database.anotherWorkspace();
        const history = await History.begin(owner, tenant);
        const open = new OpenTransaction(tenant);
        for (const one of steps) {
          await take(history, open, tenant.workspaceId, one);
          expect(await findDifferences(database.db, tenant)).toEqual([]);
        }
        await open.end();
        await foldAll();
        expect(await factsLeft()).toBe(0);
        expect(await findDifferences(database.db, tenant)).toEqual([]);
        await expectSound();
      }),
      { numRuns: 15 },
    );
  });

  it('that were changed are found bucket by bucket, and mended', async () => {
    const { development: tenant } = await database.anotherWorkspace();
    const history = await History.begin(owner, tenant);
    for (let choice = 1; choice < 30; choice++) for (const move of MOVES) await history[move](choice);
    await foldAll();
    expect(await findDifferences(database.db, tenant)).toEqual([]);
    const changed = (sql: string) =>
      database.asOwner<{ kind: string }>(
        `${sql} RETURNING kind`.replace('OURS', `environment_id = '${tenant.environmentId}'`),
      );
    const [rollup] = await changed(
      `UPDATE analytics_rollups SET n = n + 3, s1 = s1 - 1 WHERE OURS AND kind = 'targets.ended' AND d1 = 'delivered' AND NOT is_total`,
    );
    const [histogram] = await changed(
      `UPDATE analytics_rollups SET counts[1] = counts[1] + 1 WHERE OURS AND kind = 'runs.ended' AND d1 = 'failed' AND is_total`,
    );
    await changed(`UPDATE analytics_days SET n = n + 1 WHERE OURS AND kind = 'errors'`);
    expect([rollup, histogram].every((row) => row !== undefined)).toBe(true);
    const found = await findDifferences(database.db, tenant);
    expect(new Set(found.map(({ kind, bucket }) => `${kind} ${bucket === null}`))).toEqual(
      new Set(['targets.ended true', 'runs.ended false']),
    );
    expect(found.find(({ kind }) => kind === 'targets.ended')).toMatchObject({ n: -3, s1: 1 });
    expect(await mendRollups(database.db, tenant)).toBeGreaterThan(0);
    await foldAll();
    await mendRollups(database.db, tenant);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
    await expectSound();
  });
});
