import { beforeEach, describe, expect, it } from 'vitest';
import { readUsage, setPlan } from '../../../db/plans/plans.ts';
import { PLAN_TABLE, usageResetsAt } from '../../../domain/plans.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, errorOf, invoke } from '../invocations/support.ts';
import { startTestApi } from '../harness/test-api.ts';
import { closedPort } from '../harness/closed-port.ts';
import { countRows } from '../harness/count-rows.ts';

const ALLOWED = PLAN_TABLE.free.allowances.executions ?? 0;

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const { workspaceId } = service.database.tenant;
const action = await createAction(service, { url: `${target.baseUrl}/ok` });
await service.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));

describe('the executions of a month', () => {
  beforeEach(() => service.database.asOwner('DELETE FROM monthly_usage'));

  const used = async (): Promise<number> =>
    (await service.database.db.withWorkspace(workspaceId, readUsage)).executions;
  const leave = async (left: number): Promise<void> => {
    await service.database.asOwner(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'executions', 0, $2)`,
      [workspaceId, ALLOWED - left],
    );
  };
  const rows = (): Promise<number> => countRows(service.database, 'invocations');
  const ask = (headers: Record<string, string> = {}, api = service) =>
    api.call('POST', `/api/v2/actions/${action}/invoke`, { key: service.key, body: { input: {} }, headers });

  it('are counted one by one, and refused beyond the last with what and until when', async () => {
    await leave(1);
    expect((await invoke(service, action)).invocation.status).toBe('succeeded');
    const before = await rows();
    const refused = await ask();
    expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(errorOf(refused).message).toContain(`${ALLOWED} action executions a month`);
    expect(errorOf(refused).message).toContain(usageResetsAt(new Date()).toISOString());
    expect(await rows()).toBe(before);
    expect(await used()).toBe(ALLOWED);
  });

  it('admit as many as are left of invocations at once', async () => {
    await leave(5);
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask()));
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(5).fill(200),
      ...Array<number>(7).fill(429),
    ]);
  });

  it('are not counted twice for one operation, and a used-up month does not hide its reply', async () => {
    await leave(1);
    const first = await ask({ 'Idempotency-Key': 'once' });
    const replayed = await ask({ 'Idempotency-Key': 'once' });
    expect([first.status, replayed.status]).toEqual([200, 200]);
    await service.database.asOwner("DELETE FROM idempotency_claims WHERE key = 'once'"); // as after its 24 hours
    const repeated = await ask({ 'Idempotency-Key': 'once' });
    expect([repeated.status, repeated.json]).toEqual([200, first.json]);
    expect(await used()).toBe(ALLOWED);
  });

  it('are not counted for a request that is refused', async () => {
    const refused = await service.post(`/api/v2/actions/${action}/invoke`, { input: 'none' });
    expect(refused.status).toBe(400);
    expect((await service.post('/api/v2/actions/no.such/invoke', { input: {} })).status).toBe(404);
    expect(await used()).toBe(0);
  });

  it('are given back where the invocation could not be started and is withdrawn', async () => {
    await leave(1);
    const cutOff = await startTestApi({
      database: service.database,
      temporalAddress: `127.0.0.1:${await closedPort()}`,
      taskQueue: service.taskQueue,
    });
    try {
      const before = await rows();
      const reply = await cutOff.call('POST', `/api/v2/actions/${action}/invoke`, {
        key: service.key,
        body: { input: {} },
      });
      expect([reply.status, errorOf(reply).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(await rows()).toBe(before);
      expect(await used()).toBe(ALLOWED - 1);
    } finally {
      await cutOff.close();
    }
    expect((await ask()).status).toBe(200);
  });

  it('start again with each month', async () => {
    await leave(0);
    expect((await ask()).status).toBe(429);
    await service.database.asOwner("UPDATE monthly_usage SET month = month - interval '1 month'");
    expect((await ask()).status).toBe(200);
    expect(await used()).toBe(1);
  });
});
