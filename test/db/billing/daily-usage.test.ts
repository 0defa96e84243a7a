import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { readDailyUsage } from '../../../db/billing/usage.ts';
import { consumeAllowance, countEgress, giveBackAllowance } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { type Allowance, ALLOWANCES, PLANS } from '../../../domain/plans.ts';
import { createTestDatabase } from '../../harness/database.ts';

const DAY_MS = 86_400_000;

const database = await createTestDatabase();

describe('the usage of a day', () => {
  type Step =
    | { do: 'take'; allowance: Allowance; amount: number; in: 'development' | 'production'; fails: boolean }
    | { do: 'give back'; daysAgo: number; in: 'development' | 'production' }
    | { do: 'egress'; amount: number; in: 'development' | 'production' }
    | { do: 'change plan'; to: (typeof PLANS)[number] };

  const environment = fc.constantFrom('development' as const, 'production' as const);
  const amount = fc.integer({ min: 1, max: 900 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('take' as const),
        allowance: fc.constantFrom(...ALLOWANCES),
        amount,
        in: environment,
        fails: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('give back' as const),
        daysAgo: fc.integer({ min: 0, max: 60 }),
        in: environment,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('egress' as const), amount, in: environment }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('change plan' as const), to: fc.constantFrom(...PLANS) }) },
  );

  it('sums to the month, whatever is taken, refused, rolled back and given back, at once and under changing plans', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const workspace = await database.anotherWorkspace();
        await Promise.allSettled(steps.map((one) => take(workspace, one)));
        const differing = await database.asOwner(
          `SELECT * FROM (SELECT workspace_id, date_trunc('month', day)::date AS month, allowance, sum(used) AS used FROM daily_usage GROUP BY 1, 2, 3) days
           FULL JOIN (SELECT workspace_id, month, allowance, sum(used) AS used FROM monthly_usage GROUP BY 1, 2, 3) months
             USING (workspace_id, month, allowance)
           WHERE days.used IS DISTINCT FROM months.used`,
        );
        expect(differing).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  async function take(workspace: { development: Tenant; production: Tenant }, one: Step): Promise<void> {
    const { db } = database;
    if (one.do === 'change plan') {
      await db.withWorkspace(workspace.development.workspaceId, (tx) => setPlan(tx, one.to));
      return;
    }
    await db.withEnvironment(workspace[one.in], async (tx) => {
      if (one.do === 'egress') return countEgress(tx, one.amount);
      if (one.do === 'give back') {
        return giveBackAllowance(tx, 'executions', 1, new Date(Date.now() - one.daysAgo * DAY_MS));
      }
      await consumeAllowance(tx, one.allowance, one.amount);
      if (one.fails) throw new Error('not admitted');
    });
  }

  it('is of the environment that took it; a give-back is of the day of its admission', async () => {
    const workspace = await database.anotherWorkspace();
    const { db } = database;
    const today = new Date();
    const yesterday = new Date(today.getTime() - DAY_MS);
    await db.withEnvironment(workspace.development, (tx) => consumeAllowance(tx, 'executions', 3));
    await db.withEnvironment(workspace.production, (tx) => consumeAllowance(tx, 'executions', 2));
    await db.withEnvironment(workspace.production, (tx) => giveBackAllowance(tx, 'executions', 1, yesterday));
    const rows = await database.asOwner(
      'SELECT environment_id, day::text, sum(used)::int AS used FROM daily_usage WHERE workspace_id = $1 GROUP BY 1, 2 ORDER BY used',
      [workspace.development.workspaceId],
    );
    const day = (at: Date): string => at.toISOString().slice(0, 10);
    expect(rows).toEqual([
      { environment_id: workspace.production.environmentId, day: day(yesterday), used: -1 },
      { environment_id: workspace.production.environmentId, day: day(today), used: 2 },
      { environment_id: workspace.development.environmentId, day: day(today), used: 3 },
    ]);
    const days = await db.withEnvironment(workspace.development, (tx) =>
      readDailyUsage(tx, { from: day(yesterday), to: day(today) }),
    );
    expect(days.map(({ date, complete, executions, egress }) => [date, complete, executions, egress])).toEqual([
      [day(yesterday), true, -1, 0],
      [day(today), false, 5, 0],
    ]);
  });
});
