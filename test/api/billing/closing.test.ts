import { expect, it } from 'vitest';
import { closeBillingMonthStart } from '../../../temporal/billing/close-billing-month.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';

const service = await startTestService();

it('closes each month that has ended, one after the other, and none twice', { timeout: TEST_TIMEOUT_MS }, async () => {
  const { workspaceId } = service.database.tenant;
  await service.database.asOwner(
    `UPDATE workspaces SET created_at = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '40 days' WHERE id = $1`,
    [workspaceId],
  );
  await service.database.asOwner(
    `INSERT INTO pending_plan_changes (workspace_id, plan, effective_at)
     VALUES ($1, 'growth', date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`,
    [workspaceId],
  );
  const closed = () =>
    service.database.asOwner<{ month: string; plan: string }>(
      `SELECT to_char(month, 'YYYY-MM') AS month, plan FROM billing_months WHERE workspace_id = $1 AND closed_at IS NOT NULL ORDER BY month`,
      [workspaceId],
    );
  let sweeps = 0;
  const sweep = () =>
    service.client.workflow.execute('sweepMaintenance', {
      workflowId: `sweep/${service.taskQueue}/${++sweeps}`,
      taskQueue: service.taskQueue,
      args: [],
    });
  await sweep();
  await expect.poll(closed).toHaveLength(1);
  await sweep();
  await expect.poll(closed).toHaveLength(2);
  await sweep();
  const [first, second] = await closed();
  expect([first?.plan, second?.plan]).toEqual(['enterprise', 'enterprise']);
  // The change that waited for the end of the month counts from the first instant of the next one.
  const changes = await service.database.asOwner(
    `SELECT to_plan, changed_at = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS at_month FROM plan_changes WHERE workspace_id = $1`,
    [workspaceId],
  );
  expect(changes).toEqual([{ to_plan: 'growth', at_month: true }]);
  const { options } = closeBillingMonthStart({ workspaceId, month: second?.month ?? '' }, service.taskQueue);
  const { status } = await service.client.workflow.getHandle(options.workflowId).describe();
  expect(status.name).toBe('COMPLETED');
  await service.starters.closeBillingMonth({ workspaceId, month: second?.month ?? '' });
  expect(await closed()).toHaveLength(2);
});
