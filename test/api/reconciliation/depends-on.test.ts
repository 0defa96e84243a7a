import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { newId } from '../../../domain/ids.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, effectIn, effectOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';
import { evidence, operatorOf, unknownOf } from './support.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);
const operator = await operatorOf(service);

const lost = () => ({ url: `${target.baseUrl}/status?status=503` });
let names = 0;
/** An action whose requests the target can tell apart. */
async function follower(): Promise<{ action: string; seen: () => Promise<number> }> {
  const path = `/echo?follower=${++names}`;
  // A reply that waited for the end of the wait would outlast any test.
  const action = await createAction(service, { url: `${target.baseUrl}${path}` }, { timeoutMs: 300_000 });
  return { action, seen: async () => (await target.requests()).filter(({ url }) => url === path).length };
}
const succeeded = async (): Promise<string> => {
  const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
  return invocation.effectId ?? '';
};
const failed = async (): Promise<string> => {
  const action = await createAction(service, { url: `${target.baseUrl}/status?status=422` });
  return (await invoke(service, action)).invocation.effectId ?? '';
};
const resolve = (effectId: string, outcome: string) =>
  operator.post(`/api/v2/actions/effects/${effectId}/resolve`, { outcome, partialEffect: 'none', evidence });
const settledInvocation = async (id: string, status: string) => {
  await expect
    .poll(async () => invocationIn(await service.get(`/api/v2/actions/invocations/${id}`)).status)
    .toBe(status);
  return invocationIn(await service.get(`/api/v2/actions/invocations/${id}`));
};

describe('dependsOn', () => {
  test('an effect that has succeeded already is not waited for, and is shown with its outcome', async () => {
    const { action, seen } = await follower();
    const dependsOn = [await succeeded(), await succeeded()];
    const { status, invocation } = await invoke(service, action, { input: {}, dependsOn });
    expect([status, invocation.status]).toEqual([200, 'succeeded']);
    expect(await seen()).toBe(1);
    expect((await effectOf(service, invocation)).dependsOn).toEqual(
      dependsOn.map((effectId) => ({ effectId, outcome: 'succeeded' })),
    );
  });

  test('waits, answering 202 at once, until a person says that it succeeded; then it goes on by itself', async () => {
    const { action, seen } = await follower();
    const { effect } = await unknownOf(service, lost());
    const { status, invocation } = await invoke(service, action, { input: {}, dependsOn: [effect.id] });
    expect([status, invocation.status, invocation.grade]).toEqual([202, 'queued', 'pending']);
    expect(await effectOf(service, invocation)).toMatchObject({
      stage: 'ready',
      outcome: 'not_dispatched',
      dependsOn: [{ effectId: effect.id, outcome: 'unknown' }],
    });
    expect(await seen()).toBe(0);
    expect((await resolve(effect.id, 'succeeded')).status).toBe(200);
    await settledInvocation(invocation.id, 'succeeded');
    expect(await seen()).toBe(1);
  });

  test('two that wait in a row: the one behind the other', async () => {
    const [first, second] = [await follower(), await follower()];
    const { effect } = await unknownOf(service, lost());
    const middle = (await invoke(service, first.action, { input: {}, dependsOn: [effect.id] })).invocation;
    const body = { input: {}, dependsOn: [middle.effectId ?? '', effect.id] };
    const last = (await invoke(service, second.action, body)).invocation;
    await resolve(effect.id, 'succeeded');
    await settledInvocation(last.id, 'succeeded');
    expect([await first.seen(), await second.seen()]).toEqual([1, 1]);
  });

  test.each(['failed before', 'failed while it waits'])('is refused where it %s, and nothing is sent', async (when) => {
    const { action, seen } = await follower();
    const dependency = when === 'failed before' ? await failed() : (await unknownOf(service, lost())).effect.id;
    const { invocation } = await invoke(service, action, { input: {}, dependsOn: [await succeeded(), dependency] });
    if (when !== 'failed before') await resolve(dependency, 'failed');
    const refused = await settledInvocation(invocation.id, 'refused');
    expect(refused.error).toBe(`dispatch refused (dependency_unsettled): depends on ${dependency}: it has failed`);
    expect(await effectOf(service, refused)).toMatchObject({
      stage: 'rejected',
      rejectionReason: 'dependency_unsettled',
    });
    expect(await seen()).toBe(0);
  });

  test('a cancellation ends the wait, and nothing is sent', async () => {
    const { action, seen } = await follower();
    const { effect } = await unknownOf(service, lost());
    const { invocation } = await invoke(service, action, { input: {}, dependsOn: [effect.id] });
    await service.client.workflow.getHandle(`invocation/${invocation.id}`).cancel();
    expect((await settledInvocation(invocation.id, 'cancelled')).error).toBe(
      `cancelled while it waited for ${effect.id}`,
    );
    await resolve(effect.id, 'succeeded');
    expect(await seen()).toBe(0);
  });

  test('a workflow that was terminated while it waited is started again, and waits on', async () => {
    const { action, seen } = await follower();
    const { effect } = await unknownOf(service, lost());
    const { invocation } = await invoke(service, action, { input: {}, dependsOn: [effect.id] });
    const handle = () => service.client.workflow.getHandle(`invocation/${invocation.id}`);
    await handle().terminate('by a test');
    // As the sweep does.
    const ref = { ...service.database.tenant, invocationId: invocation.id };
    await service.starters.startInvocation(ref);
    await resolve(effect.id, 'succeeded');
    await settledInvocation(invocation.id, 'succeeded');
    expect(await seen()).toBe(1);
  });

  test.each<[string, () => Promise<JsonObject>, string]>([
    ['an effect that is not there', async () => ({ dependsOn: [newId('effect')] }), 'body.dependsOn[0]'],
    ['what is no id of an effect', async () => ({ dependsOn: ['inv_1'] }), 'body.dependsOn'],
    [
      'more than twenty',
      async () => ({ dependsOn: Array.from({ length: 21 }, () => newId('effect')) }),
      'body.dependsOn',
    ],
    [
      'one twice',
      async () => {
        const id = await succeeded();
        return { dependsOn: [id, id] };
      },
      'body.dependsOn',
    ],
    ['a compensation of what is not there', async () => ({ compensates: newId('effect') }), 'body.compensates'],
  ])('400 for %s', async (_, body, path) => {
    const { action } = await follower();
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, { input: {}, ...(await body()) });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(errorOf(reply).details)).toContain(path);
  });

  test('400 for a plain action, and 409 for the same key with another dependency', async () => {
    const id = await succeeded();
    const plain = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed: false });
    const reply = await service.post(`/api/v2/actions/${plain}/invoke`, { input: {}, dependsOn: [id] });
    expect([reply.status, errorOf(reply).details]).toMatchObject([400, { issues: [{ path: 'body.dependsOn' }] }]);
    const { action } = await follower();
    const named = { input: {}, operationKey: `named-${action}` };
    await invoke(service, action, { ...named, dependsOn: [id] });
    const other = await service.post(`/api/v2/actions/${action}/invoke`, named);
    expect([other.status, errorOf(other).code]).toEqual([409, 'OPERATION_KEY_REUSE']);
  });

  test('an effect of another environment is not there', async () => {
    const { key } = await service.createKey(service.database.tenants.staging);
    const path = '/api/v2/actions';
    const staging = await service.call('POST', path, {
      key,
      body: {
        name: 'other.env',
        governed: true,
        adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
      },
    });
    expect(staging.status, staging.text).toBe(201);
    const body = { input: {}, dependsOn: [await succeeded()] };
    const reply = await service.call('POST', `${path}/other.env/invoke`, { key, body });
    expect([reply.status, errorOf(reply).details]).toMatchObject([400, { issues: [{ path: 'body.dependsOn[0]' }] }]);
  });
});

describe('compensates', () => {
  test('is shown on the compensation, and said on what it makes up for once it has succeeded', async () => {
    const original = await succeeded();
    const { action } = await follower();
    const { invocation } = await invoke(service, action, { input: {}, compensates: original });
    const compensation = await effectOf(service, invocation);
    expect(compensation).toMatchObject({ outcome: 'succeeded', compensates: original });
    const compensated = effectIn(await service.get(`/api/v2/actions/effects/${original}`));
    expect(compensated.outcome).toBe('succeeded');
    expect(compensated.evidence.at(-1)).toMatchObject({
      source: 'system',
      impliedOutcome: null,
      details: { compensatedBy: compensation.id },
    });
  });

  test('one that is resolved as succeeded says so too, one that failed does not', async () => {
    const original = await succeeded();
    const evidenceOf = async () => effectIn(await service.get(`/api/v2/actions/effects/${original}`)).evidence.length;
    const before = await evidenceOf();
    const action = await createAction(service, lost());
    const compensate = async () => (await invoke(service, action, { input: {}, compensates: original })).invocation;
    await resolve((await compensate()).effectId ?? '', 'failed');
    expect(await evidenceOf()).toBe(before);
    await resolve((await compensate()).effectId ?? '', 'succeeded');
    expect(await evidenceOf()).toBe(before + 1);
  });

  test('409 for what had no effect or is not known yet, 400 for a compensation', async () => {
    const { action } = await follower();
    const reply = (compensates: string) => service.post(`/api/v2/actions/${action}/invoke`, { input: {}, compensates });
    expect((await reply(await failed())).status).toBe(409);
    const { effect } = await unknownOf(service, lost());
    expect(errorOf(await reply(effect.id)).message).toContain('not known yet');
    expect(
      (
        await operator.post(`/api/v2/actions/effects/${effect.id}/resolve`, {
          outcome: 'failed',
          partialEffect: 'confirmed',
          evidence,
        })
      ).status,
    ).toBe(200);
    const made = await reply(effect.id);
    expect(made.status).toBe(200);
    const again = await reply(invocationIn(made).effectId ?? '');
    expect([again.status, errorOf(again).message]).toEqual([
      400,
      expect.stringContaining('a compensation itself') as string,
    ]);
  });
});
