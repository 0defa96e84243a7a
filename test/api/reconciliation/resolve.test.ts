import { describe, expect, test } from 'vitest';
import { lockInvocationWork } from '../../../db/invocations/locks.ts';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import { settle } from '../../../activities/invocations/settle-invocation.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import type { CallResult } from '../harness/test-api.ts';
import { createPerson } from '../harness/people.ts';
import { createAction, effectIn, effectOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';
import { evidence, operatorOf, unknownOf } from './support.ts';
import { sumUsed } from '../harness/count-rows.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const operator = await operatorOf(service);

const lost = () => ({ url: `${target.baseUrl}/status?status=503` });
const money = [{ dimension: 'money', currency: 'usd', amount: { const: 900 }, bound: 'upper_bound' }];
const resolveEffect = (id: string, body: unknown): Promise<CallResult> =>
  operator.post(`/api/v2/actions/effects/${id}/resolve`, body);
const resolveInvocation = (id: string, body: unknown): Promise<CallResult> =>
  operator.post(`/api/v2/actions/invocations/${id}/resolve`, body);
const sends = async (): Promise<number> => (await target.requests()).length;

describe('POST /actions/effects/{id}/resolve', () => {
  test('succeeded is acknowledged, verified by hand, kept for good, and nothing is sent', async () => {
    const { effect, invocation } = await unknownOf(service, lost(), { impact: money });
    const before = await sends();
    const body = {
      outcome: 'succeeded',
      settledImpact: [{ dimension: 'money', currency: 'usd', amount: 700, bound: 'exact' }],
      evidence: { ...evidence, providerIds: { refund: 're_1' }, url: 'https://provider.example/refunds/re_1' },
    };
    const reply = await resolveEffect(effect.id, body);
    expect(reply.status, reply.text).toBe(200);
    const resolved = effectIn(reply);
    expect(resolved).toMatchObject({
      stage: 'settled',
      outcome: 'succeeded',
      grade: 'acknowledged',
      verification: 'manual',
      partialEffect: 'none',
      unresolvedExposure: false,
      reconciliation: { nextAt: null },
      resolution: {
        outcome: 'succeeded',
        previousOutcome: 'unknown',
        settledImpact: body.settledImpact,
        evidence: body.evidence,
        resolvedBy: { type: 'api_key' },
      },
    });
    expect(Date.parse(JSON.stringify(resolved.resolution?.['resolvedAt']).slice(1, -1))).toBeGreaterThan(
      Date.parse(effect.createdAt),
    );
    expect(resolved.evidence.at(-1)).toMatchObject({
      source: 'manual_resolution',
      impliedOutcome: 'succeeded',
      summary: evidence.summary,
      providerIds: { refund: 're_1' },
      details: { previousOutcome: 'unknown' },
    });
    // The effect also shows its place in the chain.
    const { id: _id, chain: _chain, ...shown } = resolved.resolution ?? {};
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`))).toMatchObject({
      status: 'succeeded',
      grade: 'acknowledged',
      resolution: shown,
    });
    expect(await sends()).toBe(before);
    const audited = await service.database.asOwner<{ action: string }>(
      'SELECT action FROM audit_log WHERE target_id = $1',
      [effect.id],
    );
    expect(audited).toEqual([{ action: 'effect.resolved' }]);
    // Its reconciliation is notified and ends by itself.
    const reconciliation = service.client.workflow.getHandle(`reconcile/${effect.id}`);
    expect(await reconciliation.result()).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
  });

  test('failed says what it left behind, and the invocation says why', async () => {
    const { effect, invocation } = await unknownOf(service, lost());
    const reply = await resolveEffect(effect.id, { outcome: 'failed', partialEffect: 'possible', evidence });
    expect(effectIn(reply)).toMatchObject({
      outcome: 'failed',
      grade: 'failed',
      verification: 'manual',
      partialEffect: 'possible',
    });
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`))).toMatchObject({
      status: 'failed',
      error: `resolved as failed: ${evidence.summary}`,
    });
  });

  test('whoever says failed of what may have happened in part says what it left: 400, after who may', async () => {
    const { effect } = await unknownOf(service, lost(), { impact: money });
    expect(effect.partialEffect).toBe('possible');
    const silent = { outcome: 'failed', evidence };
    const reply = await resolveEffect(effect.id, silent);
    expect([reply.status, errorOf(reply).details]).toEqual([
      400,
      { issues: [{ path: 'body.partialEffect', message: expect.stringContaining('is needed') as string }] },
    ]);
    expect((await service.post(`/api/v2/actions/effects/${effect.id}/resolve`, silent)).status).toBe(403);
    expect(effectIn(await service.get(`/api/v2/actions/effects/${effect.id}`)).outcome).toBe('unknown');
    for (const [partialEffect, status] of [
      ['none', 200],
      ['none', 409],
    ] as const)
      expect((await resolveEffect(effect.id, { ...silent, partialEffect })).status).toBe(status);
    expect((await resolveEffect(effect.id, silent)).status).toBe(409);
  });

  test('a second one is 409 and changes nothing; the original Idempotency-Key stays taken', async () => {
    const action = await createAction(service, lost());
    const key = { 'Idempotency-Key': `taken-${action}` };
    const { invocation } = await invoke(service, action, { input: {} }, key);
    const effect = await effectOf(service, invocation);
    const first = effectIn(await resolveEffect(effect.id, { outcome: 'failed', partialEffect: 'none', evidence }));
    const second = await resolveEffect(effect.id, { outcome: 'succeeded', evidence });
    expect([second.status, errorOf(second).code]).toEqual([409, 'CONFLICT']);
    expect(await effectOf(service, invocation)).toEqual(first);
    const before = await sends();
    const again = await invoke(service, action, { input: {} }, key);
    expect(again.invocation.id).toBe(invocation.id);
    expect(await sends()).toBe(before);
  });

  test('403 for the key that requested it, 409 for what is not unknown, 404 for what is not there', async () => {
    const { effect } = await unknownOf(service, lost());
    const own = await service.post(`/api/v2/actions/effects/${effect.id}/resolve`, { outcome: 'failed', evidence });
    expect([own.status, errorOf(own).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(effectIn(await service.get(`/api/v2/actions/effects/${effect.id}`)).outcome).toBe('unknown');
    const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    const settled = `/api/v2/actions/effects/${invocation.effectId}/resolve`;
    // The refusal's reason is the state, for any caller.
    for (const asking of [operator, service]) {
      const reply = await asking.post(settled, { outcome: 'failed', evidence });
      expect([reply.status, errorOf(reply).code]).toEqual([409, 'CONFLICT']);
    }
    expect((await resolveEffect('eff_0000000000000000000001', { outcome: 'failed', evidence })).status).toBe(404);
  });

  test('an admin in the console may, and a member may not', async () => {
    const { effect } = await unknownOf(service, lost());
    const environment = { 'X-Environment-Id': service.database.tenant.environmentId };
    const asking = async (role: 'member' | 'admin') => {
      const person = await createPerson(service, role);
      const body = { outcome: 'succeeded', evidence };
      return service.call('POST', `/api/v2/actions/effects/${effect.id}/resolve`, {
        body,
        headers: { ...person.headers, ...environment },
      });
    };
    expect((await asking('member')).status).toBe(403);
    expect(effectIn(await asking('admin')).resolution).toMatchObject({ resolvedBy: { type: 'user' } });
  });

  test.each([
    [
      'above what was declared',
      [{ dimension: 'money', currency: 'usd', amount: 901, bound: 'exact' }],
      'body.settledImpact[0].amount',
    ],
    [
      'of another currency',
      [{ dimension: 'money', currency: 'eur', amount: 1, bound: 'exact' }],
      'body.settledImpact[0]',
    ],
    [
      'said twice',
      [
        { dimension: 'money', currency: 'usd', amount: 1, bound: 'exact' },
        { dimension: 'money', currency: 'usd', amount: 1, bound: 'exact' },
      ],
      'body.settledImpact[1]',
    ],
  ])('400 for an impact %s', async (_, settledImpact, path) => {
    const { effect } = await unknownOf(service, lost(), { impact: money });
    const reply = await resolveEffect(effect.id, { outcome: 'succeeded', settledImpact, evidence });
    expect(reply.status).toBe(400);
    expect(errorOf(reply).details).toMatchObject({ issues: [{ path }] });
  });

  test('twenty at once: one is taken, and one row is kept', async () => {
    const { effect } = await unknownOf(service, lost());
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        resolveEffect(effect.id, { outcome: n % 2 === 0 ? 'failed' : 'succeeded', partialEffect: 'none', evidence }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(19).fill(409),
    ]);
    const kept = await service.database.asOwner('SELECT 1 FROM resolutions WHERE effect_id = $1', [effect.id]);
    expect(kept).toHaveLength(1);
  });
});

describe('a settlement that races a resolution', () => {
  /** Holds the evidence that settles it uncommitted, as a late answer does, while the resolution is requested. */
  async function settleBeside(effectId: string, invocationId: string, meanwhile: () => Promise<CallResult>) {
    let reply: Promise<CallResult> | undefined;
    await service.database.db.withEnvironment(service.database.tenant, async (tx) => {
      const work = await lockInvocationWork(tx, invocationId);
      if (!work) throw new Error('gone');
      await appendEvidence(tx, {
        effectId,
        source: 'provider_response',
        observedAt: new Date(),
        impliedOutcome: 'succeeded',
        summary: 'late',
        actor: { type: 'service', id: null },
      });
      reply = meanwhile();
      await expect.poll(async () => (await service.database.asOwner(WAITING)).length).toBeGreaterThan(0);
      await settle(tx, work);
    });
    return reply;
  }
  const WAITING = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM invocations WHERE id%FOR UPDATE%'
    AND datname = current_database()`;

  test('that commits first: the resolution finds nothing to resolve', async () => {
    const { effect, invocation } = await unknownOf(service, lost());
    const reply = await settleBeside(effect.id, invocation.id, () =>
      resolveEffect(effect.id, { outcome: 'failed', evidence }),
    );
    expect(reply?.status).toBe(409);
    expect(await effectOf(service, invocation)).toMatchObject({
      outcome: 'succeeded',
      verification: 'unverified',
      resolution: null,
    });
  });

  test('that comes second: it finds the resolution and leaves it', async () => {
    const { effect, invocation } = await unknownOf(service, lost());
    await resolveEffect(effect.id, { outcome: 'failed', partialEffect: 'none', evidence });
    await service.database.db.withEnvironment(service.database.tenant, async (tx) => {
      const work = await lockInvocationWork(tx, invocation.id);
      if (!work) throw new Error('gone');
      await appendEvidence(tx, {
        effectId: effect.id,
        source: 'provider_lookup',
        observedAt: new Date(),
        impliedOutcome: 'succeeded',
        summary: 'the provider has it after all',
        actor: { type: 'service', id: null },
      });
      expect(await settle(tx, work)).toMatchObject({ status: 'failed', stage: 'settled' });
    });
    expect(await effectOf(service, invocation)).toMatchObject({ outcome: 'failed', verification: 'manual' });
  });
});

describe('POST /actions/invocations/{id}/resolve', () => {
  const plain = { governed: false };
  const used = () => sumUsed(service.database, 'executions');
  const plainUnknown = async () => (await invoke(service, await createAction(service, lost(), plain))).invocation;

  test('succeeded keeps the execution, failed gives it back', async () => {
    const [kept, given] = [await plainUnknown(), await plainUnknown()];
    const before = await used();
    const reply = await resolveInvocation(kept.id, { outcome: 'succeeded', evidence });
    expect(invocationIn(reply)).toMatchObject({
      status: 'succeeded',
      grade: 'acknowledged',
      resolution: { outcome: 'succeeded', previousOutcome: 'unknown', evidence, resolvedBy: { type: 'api_key' } },
    });
    expect(await used()).toBe(before);
    expect(invocationIn(await resolveInvocation(given.id, { outcome: 'failed', evidence }))).toMatchObject({
      status: 'failed',
    });
    expect(await used()).toBe(before - 1);
    expect((await resolveInvocation(given.id, { outcome: 'failed', evidence })).status).toBe(409);
    expect(await used()).toBe(before - 1);
    const { effect } = await unknownOf(service, lost());
    expect(await used()).toBe(before);
    await resolveEffect(effect.id, { outcome: 'failed', partialEffect: 'none', evidence });
    expect(await used()).toBe(before - 1);
  });

  test('403 for the key that requested it; an effect is named where one governs', async () => {
    const { id } = await plainUnknown();
    const own = await service.post(`/api/v2/actions/invocations/${id}/resolve`, { outcome: 'failed', evidence });
    expect([own.status, errorOf(own).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    const { invocation, effect } = await unknownOf(service, lost());
    for (const asking of [operator, service]) {
      const path = `/api/v2/actions/invocations/${invocation.id}/resolve`;
      const reply = await asking.post(path, { outcome: 'failed', evidence });
      expect([reply.status, errorOf(reply).code, errorOf(reply).details]).toEqual([
        409,
        'EFFECT_RESOLUTION_REQUIRED',
        { effectId: effect.id },
      ]);
    }
    expect((await resolveInvocation(id, { outcome: 'succeeded', evidence })).status).toBe(200);
    const late = await service.post(`/api/v2/actions/invocations/${id}/resolve`, { outcome: 'failed', evidence });
    expect([late.status, errorOf(late).code]).toEqual([409, 'CONFLICT']);
  });
});

describe('the database refuses', () => {
  test('a change, a removal, a settled invocation, and an outcome by hand without one', async () => {
    const { effect, invocation } = await unknownOf(service, lost());
    await resolveEffect(effect.id, { outcome: 'succeeded', evidence });
    const asOwner = (sql: string) => service.database.asOwner(sql, [invocation.id]);
    await expect(asOwner(`UPDATE resolutions SET summary = 'other' WHERE invocation_id = $1`)).rejects.toThrow(
      /append-only|never/,
    );
    await expect(asOwner('DELETE FROM resolutions WHERE invocation_id = $1')).rejects.toThrow(/append-only|never/);
    await expect(asOwner('UPDATE invocations SET resolution = NULL WHERE id = $1')).rejects.toThrow(/final/);
    const other = await unknownOf(service, lost());
    await expect(
      service.database.asOwner(
        `UPDATE invocations SET status = 'succeeded', outcome_source = 'manual_resolution' WHERE id = $1`,
        [other.invocation.id],
      ),
    ).rejects.toThrow(/was not resolved so/);
  });
});
