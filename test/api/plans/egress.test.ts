import { beforeEach, describe, expect, it } from 'vitest';
import { readUsage, setPlan } from '../../../db/plans/plans.ts';
import { PLAN_TABLE, type PlanName, usageResetsAt } from '../../../domain/plans.ts';
import { startTestService } from '../../harness/service.ts';
import { createAction, errorOf } from '../invocations/support.ts';
import { publish, startDestination, statusOf } from '../messages/support.ts';
import type { CallResult } from '../harness/test-api.ts';

const ALLOWED = PLAN_TABLE.free.allowances.egress ?? 0;
const REPLY = 'Grüße';
const bytesOf = (...texts: string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const action = await createAction(service, { url: `${destination.baseUrl}/invoked`, body: { n: 1 } });
for (const path of ['/invoked', '/hook', '/ended']) destination.answer(path, { status: 200, body: REPLY });

describe('the egress of a month', () => {
  beforeEach(async () => {
    await service.database.asOwner('DELETE FROM monthly_usage');
    await putOn('free');
  });

  const putOn = (plan: PlanName): Promise<unknown> =>
    service.database.db.withWorkspace(service.database.tenant.workspaceId, (tx) => setPlan(tx, plan));
  const used = async (): Promise<{ egress: number; executions: number; messages: number }> =>
    service.database.db.withWorkspace(service.database.tenant.workspaceId, readUsage);
  /** Spread over two rows, as the counters are. */
  const leave = async (left: number): Promise<void> => {
    await service.database.asOwner(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
       SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'egress', shard, used
       FROM (VALUES (3, 1000), (15, CAST($2 AS bigint))) AS spread (shard, used)
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = EXCLUDED.used`,
      [service.database.tenant.workspaceId, ALLOWED - left - 1_000],
    );
  };
  const invoking = (headers: Record<string, string> = {}): Promise<CallResult> =>
    service.post(`/api/v2/actions/${action}/invoke`, { input: {} }, headers);
  const publishing = (): Promise<CallResult> =>
    service.post('/api/v2/messages/publish', { url: `${destination.baseUrl}/hook` });
  /** Waits until what it publishes has ended; its bytes would otherwise be counted in the next test. */
  const delivered = async (): Promise<void> => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/hook` });
    await expect.poll(() => statusOf(service, messageId), { interval: 50 }).toBe('delivered');
  };
  const batching = (): Promise<CallResult> =>
    service.post('/api/v2/messages/batch', { messages: [{ url: `${destination.baseUrl}/hook` }] });

  it('is what an invocation sent and read', async () => {
    expect((await invoking()).status).toBe(200);
    const [invoked] = destination.on('/invoked');
    expect((await used()).egress).toBe(bytesOf(invoked?.body ?? '', REPLY));
  });

  it('is what a delivery and its callback sent and read', async () => {
    const { messageId } = await publish(service, {
      url: `${destination.baseUrl}/hook`,
      body: { text: 'ä' },
      callbackUrl: `${destination.baseUrl}/ended`,
    });
    await expect.poll(() => statusOf(service, messageId), { interval: 50 }).toBe('delivered');
    await expect.poll(() => destination.on('/ended').length, { interval: 50 }).toBe(1);
    const callback = destination.on('/ended')[0];
    const callbackId = String(callback?.headers['webhook-id']);
    await expect.poll(() => statusOf(service, callbackId), { interval: 50 }).toBe('delivered');
    expect((await used()).egress).toBe(bytesOf('{"text":"ä"}', REPLY, callback?.body ?? '', REPLY));
  });

  it('used up refuses invocations and messages with what and until when, and takes nothing', async () => {
    await leave(0);
    for (const ask of [invoking, publishing, batching]) {
      const refused = await ask();
      expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
      expect(errorOf(refused).message).toContain(`The Free plan includes ${ALLOWED} bytes of egress a month`);
      expect(errorOf(refused).message).toContain(usageResetsAt(new Date()).toISOString());
    }
    expect(await used()).toMatchObject({ egress: ALLOWED, executions: 0, messages: 0 });
  });

  it('is not refused while one byte is left, and what was admitted goes on beyond the limit', async () => {
    await leave(1);
    const first = await invoking({ 'Idempotency-Key': 'once' });
    expect(first.status).toBe(200);
    expect((await used()).egress).toBeGreaterThan(ALLOWED);
    expect((await invoking()).status).toBe(429);
    await service.database.asOwner("DELETE FROM idempotency_claims WHERE key = 'once'"); // as after its 24 hours
    const repeated = await invoking({ 'Idempotency-Key': 'once' });
    expect([repeated.status, repeated.json]).toEqual([200, first.json]);
  });

  it('starts again with each month', async () => {
    await leave(0);
    expect((await invoking()).status).toBe(429);
    await service.database.asOwner("UPDATE monthly_usage SET month = month - interval '1 month'");
    expect((await invoking()).status).toBe(200);
    await delivered();
  });

  it('refuses nobody on a plan without a limit, where it is counted all the same', async () => {
    await leave(0);
    await putOn('enterprise');
    expect((await invoking()).status).toBe(200);
    await delivered();
    expect((await used()).egress).toBeGreaterThan(ALLOWED);
  });
});
