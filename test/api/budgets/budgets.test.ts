import { Client } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { budgetSchema } from '../../../api/budgets/schemas.ts';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import { usageResetsAt } from '../../../domain/plans.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { CallResult } from '../harness/test-api.ts';
import { deny, readApproval, untilStatus } from '../approvals/support.ts';
import { createAction, dataOf, errorOf, invocationIn } from '../invocations/support.ts';
import { evidence } from '../reconciliation/support.ts';

const ONE = ADMISSION_ESTIMATE_MICROCENTS.invocations;
const MESSAGE = ADMISSION_ESTIMATE_MICROCENTS.messages;
type Budget = z.infer<typeof budgetSchema>;

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const action = await createAction(service, { url: `${target.baseUrl}/ok` });

describe('a budget', () => {
  /** The key of the agent whose budget it is; each test has its own agent. */
  let agent: { id: string; key: string };
  beforeEach(async () => {
    const { key, record } = await service.createKey(service.database.tenant, {
      scopes: ['actions:invoke', 'actions:read', 'messages:write', 'messages:read'],
    });
    agent = { id: record.id, key };
  });

  const admin = (
    method: 'GET' | 'PUT' | 'DELETE',
    body?: Record<string, unknown>,
    id = agent.id,
  ): Promise<CallResult> =>
    service.call(method, `/api/v2/budgets/${id}`, { key: service.key, ...(body === undefined ? {} : { body }) });
  const put = async (caps: Record<string, number>): Promise<Budget> =>
    dataOf(await admin('PUT', { caps }), budgetSchema);
  const budget = async (): Promise<Budget> => dataOf(await admin('GET'), budgetSchema);
  const asAgent = (path: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    service.call('POST', `/api/v2/${path}`, { key: agent.key, body, headers });
  const invokeAs = (name = action, headers: Record<string, string> = {}) =>
    asAgent(`actions/${name}/invoke`, { input: {} }, headers);
  const message = { url: 'https://example.com/hook', delay: 3_600 };

  it('is made, replaced and removed, with the caps that were named, in microcents', async () => {
    const made = await admin('PUT', { caps: { total: 100, messages: 7 } });
    expect(made.status).toBe(201);
    const now = new Date();
    expect(dataOf(made, budgetSchema)).toMatchObject({
      apiKeyId: agent.id,
      caps: { total: 100, messages: 7 },
      month: now.toISOString().slice(0, 7),
      unit: 'microcents',
      resetsAt: usageResetsAt(now).toISOString(),
      used: { total: 0, messages: 0, events: 0, cacheLookups: 0, memoryOperations: 0, invocations: 0 },
      reconciliationRequired: false,
    });
    const replaced = await admin('PUT', { caps: { invocations: 5 } });
    expect([replaced.status, dataOf(replaced, budgetSchema).caps]).toEqual([200, { invocations: 5 }]);
    expect((await admin('DELETE')).status).toBe(200);
    expect([(await admin('GET')).status, (await admin('DELETE')).status]).toEqual([404, 404]);
  });

  it('refuses caps that are none, negative, fractional or too large to be exact, and a key that is not here', async () => {
    for (const caps of [{}, { total: -1 }, { total: 1.5 }, { total: 2 ** 53 }, { tokens: 1 }]) {
      const reply = await admin('PUT', { caps });
      expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    const { record } = await service.createKey(service.database.tenants.staging);
    expect((await admin('PUT', { caps: { total: 1 } }, record.id)).status).toBe(404);
    expect((await admin('PUT', { caps: { total: 1 } }, 'key_nobody')).status).toBe(404);
  });

  it('does not wait for the admissions of a key that is not here, and holds none up', async () => {
    const { record } = await service.createKey(service.database.tenants.staging);
    const admitting = new Client({ connectionString: service.database.ownerUrl });
    await admitting.connect();
    await admitting.query('BEGIN');
    await admitting.query('SELECT pg_advisory_xact_lock(budget_lock_of($1))', [record.id]);
    try {
      expect((await admin('PUT', { caps: { total: 1 } }, record.id)).status).toBe(404);
    } finally {
      await admitting.end();
    }
  });

  it('admits invocations up to its cap, of many at once too, and refuses the next one with nothing done', async () => {
    await put({ invocations: 5 * ONE });
    const before = (await target.requests('/ok')).length;
    const replies = await Promise.all(Array.from({ length: 12 }, () => invokeAs()));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(5);
    const refused = replies.filter((reply) => reply.status === 429).map(errorOf);
    expect(refused).toHaveLength(7);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['BUDGET_EXCEEDED']));
    expect(refused[0]?.message).toContain(`caps invocations at ${5 * ONE} microcents a month`);
    expect((await target.requests('/ok')).length).toBe(before + 5);
    expect(await budget()).toMatchObject({ used: { invocations: 5 * ONE, total: 5 * ONE }, reserved: { total: 0 } });
  });

  it('counts the whole month, also what was used before it and after it was removed', async () => {
    expect((await invokeAs()).status).toBe(200);
    expect((await put({ total: 2 * ONE })).used.invocations).toBe(ONE);
    expect((await invokeAs()).status).toBe(200);
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
    await admin('DELETE');
    expect((await invokeAs()).status).toBe(200);
    expect((await put({ total: 2 * ONE })).used.total).toBe(3 * ONE);
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
  });

  it('holds what an unknown outcome may have used, and gives back what was refused', async () => {
    const cutOff = await createAction(service, { url: `${target.baseUrl}/reset` });
    const unbounded = await createAction(
      service,
      { url: `${target.baseUrl}/ok` },
      { impact: [{ dimension: 'refunds', amount: { path: 'input.none' }, bound: 'exact' }] },
    );
    await put({ invocations: 2 * ONE });
    expect(invocationIn(await invokeAs(unbounded)).status).toBe('refused');
    expect((await budget()).reserved.invocations).toBe(0);
    expect(invocationIn(await invokeAs(cutOff)).status).toBe('unknown');
    expect(await budget()).toMatchObject({ used: { invocations: 0 }, reserved: { invocations: ONE, total: ONE } });
    expect(invocationIn(await invokeAs()).status).toBe('succeeded');
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
  });

  it('reserves one invocation while an approval is pending, and gives it back when it is denied', async () => {
    const parking = await createAction(
      service,
      { url: `${target.baseUrl}/ok` },
      { approval: { required: true, tag: 'budget' } },
    );
    await put({ invocations: ONE });
    const parked = await invokeAs(parking);
    expect(parked.status).toBe(202);
    expect(await budget()).toMatchObject({ used: { invocations: 0 }, reserved: { invocations: ONE } });
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
    const { id, approvalId } = invocationIn(parked);
    expect((await deny(service, await readApproval(service, approvalId))).status).toBe(200);
    await untilStatus(service, id, ['denied']);
    expect(await budget()).toMatchObject({ used: { invocations: 0 }, reserved: { invocations: 0 } });
    expect(invocationIn(await invokeAs()).status).toBe('succeeded');
  });

  it('gives back what a person resolved as failed, and keeps what they resolved as succeeded', async () => {
    const cutOff = await createAction(service, { url: `${target.baseUrl}/reset` }, { governed: false });
    await put({ invocations: 2 * ONE });
    for (const [outcome, expected] of [
      ['failed', { used: { invocations: 0 }, reserved: { invocations: 0 } }],
      ['succeeded', { used: { invocations: ONE }, reserved: { invocations: 0 } }],
    ] as const) {
      const { id, effectId } = invocationIn(await invokeAs(cutOff));
      expect(effectId).toBeNull();
      expect((await budget()).reserved.invocations).toBe(ONE);
      const body = { outcome, partialEffect: 'none', evidence };
      const reply = await service.post(`/api/v2/actions/invocations/${id}/resolve`, body);
      expect(reply.status, reply.text).toBe(200);
      expect(await budget()).toMatchObject(expected);
    }
  });

  it('covers messages: a batch is reckoned at all that it plans, also what is not valid, or not admitted at all', async () => {
    await put({ messages: 4 * MESSAGE });
    const batch = await asAgent('messages/batch', { messages: [message, { url: 'nowhere' }, message] });
    expect(batch.status).toBe(200);
    expect((await budget()).used.messages).toBe(3 * MESSAGE);
    const tooMany = await asAgent('messages/batch', { messages: [message, message] });
    expect([tooMany.status, errorOf(tooMany).code]).toEqual([429, 'BUDGET_EXCEEDED']);
    expect((await budget()).used.messages).toBe(3 * MESSAGE);
    expect((await asAgent('messages/publish', message)).status).toBe(201);
    expect(errorOf(await asAgent('messages/publish', message)).code).toBe('BUDGET_EXCEEDED');
  });

  it('answers what was admitted once, while its reply is kept, and never runs it as new after that', async () => {
    await put({ invocations: 10 * ONE });
    const first = await invokeAs(action, { 'Idempotency-Key': `once-${agent.id}` });
    const again = await invokeAs(action, { 'Idempotency-Key': `once-${agent.id}` });
    expect([again.text, again.headers.get('x-idempotent-replay')]).toEqual([first.text, 'true']);
    expect((await budget()).used.invocations).toBe(ONE);

    // A day later: the key's reply is gone, the reservation is not.
    const seen = (await target.requests('/ok')).length;
    await service.database.asOwner('DELETE FROM idempotency_claims');
    await service.database.asOwner(`ALTER TABLE budget_reservations DISABLE TRIGGER count_reservation`);
    await service.database.asOwner(`UPDATE budget_reservations SET created_at = now() - interval '25 hours'`);
    await service.database.asOwner(`ALTER TABLE budget_reservations ENABLE TRIGGER count_reservation`);
    const late = await invokeAs(action, { 'Idempotency-Key': `once-${agent.id}` });
    expect([late.status, errorOf(late).code]).toEqual([409, 'BUDGET_EFFECT_ALREADY_RESERVED']);
    expect(errorOf(late).details).toEqual({ invocationId: invocationIn(first).id });
    expect((await target.requests('/ok')).length).toBe(seen);
  });

  it('pauses a key of whose use nobody knows, until an operator says what it was', async () => {
    await service.database.asOwner(
      `INSERT INTO api_key_unknown_usage VALUES ($1, $2, date_trunc('month', now() AT TIME ZONE 'UTC')::date)`,
      [service.database.tenant.environmentId, agent.id],
    );
    expect((await invokeAs()).status).toBe(200); // without a budget the impact need not be known
    expect((await put({ total: 10 * ONE })).reconciliationRequired).toBe(true);
    const paused = await invokeAs();
    expect([paused.status, errorOf(paused).code]).toEqual([503, 'BUDGET_RECONCILIATION_REQUIRED']);
    const reconciled = await admin('PUT', { caps: { total: 10 * ONE }, usedBefore: { invocations: 8 * ONE } });
    expect(reconciled.status).toBe(200);
    expect(dataOf(reconciled, budgetSchema)).toMatchObject({
      reconciliationRequired: false,
      used: { invocations: 9 * ONE },
    });
    expect((await invokeAs()).status).toBe(200);
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
    const twice = await admin('PUT', { caps: { total: 10 * ONE }, usedBefore: { invocations: 1 } });
    expect([twice.status, errorOf(twice).code]).toEqual([409, 'CONFLICT']);
  });

  it('takes an operator’s word also where it is above the cap, and of a key that is here alone', async () => {
    await service.database.asOwner(
      `INSERT INTO api_key_unknown_usage VALUES ($1, $2, date_trunc('month', now() AT TIME ZONE 'UTC')::date)`,
      [service.database.tenant.environmentId, agent.id],
    );
    await put({ total: 2 * ONE, messages: 0 });
    const above = await admin('PUT', { caps: { invocations: ONE }, usedBefore: { invocations: 5 * ONE, messages: 3 } });
    expect(above.status, above.text).toBe(200);
    expect(dataOf(above, budgetSchema)).toMatchObject({
      caps: { invocations: ONE },
      used: { invocations: 5 * ONE, messages: 3, total: 5 * ONE + 3 },
    });
    expect(errorOf(await invokeAs()).code).toBe('BUDGET_EXCEEDED');
    const nobody = await admin('PUT', { caps: { total: 1 }, usedBefore: { messages: 1 } }, 'key_nobody');
    expect([nobody.status, errorOf(nobody).code]).toEqual([404, 'NOT_FOUND']);
    const inexact = await admin('PUT', { caps: { total: 1 }, usedBefore: { messages: 2 ** 52 } });
    expect(inexact.status).toBe(400);
  });

  it('is recorded in the audit log', async () => {
    await put({ total: 1 });
    await put({ total: 2 });
    await admin('DELETE');
    const rows = await service.database.asOwner<{ action: string }>(
      `SELECT action FROM audit_log WHERE target_id = $1 AND action LIKE 'budget.%' ORDER BY sequence`,
      [agent.id],
    );
    expect(rows.map((row) => row.action)).toEqual(['budget.created', 'budget.replaced', 'budget.deleted']);
  });
});
