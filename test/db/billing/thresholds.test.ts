import { expect, it } from 'vitest';
import { alertTargets, usageThresholds } from '../../../activities/maintenance/billing.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { putAlertTarget } from '../../../db/billing/subscription.ts';
import { consumeAllowance, countEgress } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { PRICES } from '../../domain/billing/prices.ts';
import { createTestDatabase, type TestTenants } from '../../harness/database.ts';
import { pino } from 'pino';

const database = await createTestDatabase();

const logger = pino({ level: 'silent' });
const sweep = async (): Promise<void> => {
  await sweepRows({ db: database.db, logger }, 'usage-thresholds', usageThresholds);
  await sweepRows({ db: database.db, logger, prices: PRICES }, 'alert-targets', alertTargets);
};
const raised = async ({ production }: TestTenants) =>
  (
    await database.asOwner<{
      environment_id: string;
      snapshot: { meter: string; threshold: number; used: number; allowed: number };
    }>(
      `SELECT r.environment_id, r.snapshot FROM raised_events r JOIN environments e ON e.id = r.environment_id
       WHERE e.workspace_id = $1 AND r.type = 'usage.threshold' ORDER BY r.id`,
      [production.workspaceId],
    )
  ).map(({ environment_id, snapshot }) => {
    const { meter, threshold, used, allowed } = snapshot;
    return [environment_id, meter, threshold, used, allowed];
  });
const onPlan = async (plan: 'free' | 'growth' | 'enterprise'): Promise<TestTenants> => {
  const workspace = await database.anotherWorkspace();
  await database.db.withWorkspace(workspace.production.workspaceId, (tx) => setPlan(tx, plan));
  return workspace;
};
const take = ({ development }: TestTenants, amount: number): Promise<void> =>
  database.db.withEnvironment(development, (tx) => consumeAllowance(tx, 'executions', amount));

it('tells the production environment once at 80 and once at 100 % of an allowance, whatever environment used it', async () => {
  const workspace = await onPlan('free');
  const { environmentId } = workspace.production;
  await take(workspace, 799);
  await sweep();
  expect(await raised(workspace)).toEqual([]);
  await take(workspace, 1);
  await sweep();
  await sweep();
  expect(await raised(workspace)).toEqual([[environmentId, 'executions', 80, 800, 1_000]]);
  await take(workspace, 200);
  await Promise.all([sweep(), sweep()]);
  expect(await raised(workspace)).toEqual([
    [environmentId, 'executions', 80, 800, 1_000],
    [environmentId, 'executions', 100, 1_000, 1_000],
  ]);
});

it('tells of egress that is beyond its limit, of a plan that became smaller, and of nothing without a limit', async () => {
  const workspace = await onPlan('enterprise');
  await take(workspace, 5_000);
  await database.db.withEnvironment(workspace.staging, (tx) =>
    countEgress(tx, 2 * (PLAN_TABLE.free.allowances.egress ?? 0)),
  );
  await sweep();
  expect(await raised(workspace)).toEqual([]);
  await database.db.withWorkspace(workspace.production.workspaceId, (tx) => setPlan(tx, 'free'));
  await sweep();
  expect((await raised(workspace)).map(([, meter, threshold]) => `${meter} ${threshold}`).toSorted()).toEqual([
    'egress 100',
    'egress 80',
    'executions 100',
    'executions 80',
  ]);
});

it('tells the oldest environment where there is no production environment', async () => {
  const workspace = await onPlan('free');
  await database.asOwner(`UPDATE environments SET kind = 'staging' WHERE workspace_id = $1`, [
    workspace.production.workspaceId,
  ]);
  await database.asOwner(`UPDATE environments SET created_at = now() - interval '1 day' WHERE id = $1`, [
    workspace.staging.environmentId,
  ]);
  await take(workspace, 800);
  await sweep();
  expect((await raised(workspace)).map(([environment]) => environment)).toEqual([workspace.staging.environmentId]);
});

it('tells of each threshold of the alert target once in a month, by the lines of the estimate', async () => {
  const workspace = await onPlan('growth');
  const { workspaceId, environmentId } = workspace.production;
  const set = (amount: number, thresholds: number[]) =>
    database.db.withWorkspace(workspaceId, (tx) =>
      putAlertTarget(tx, { target: { amount, currency: 'usd' }, thresholds }),
    );
  await set(10_000_000, [1, 50]);
  await sweep();
  expect(await raised(workspace)).toEqual([]);
  await set(100, [1, 50]);
  await sweep();
  await set(50, [1, 50]);
  await sweep();
  const told = await raised(workspace);
  expect(told.map(([environment, meter, threshold, , limit]) => [environment, meter, threshold, limit])).toEqual([
    [environmentId, 'spend', 1, 100],
    [environmentId, 'spend', 50, 100],
  ]);
});
