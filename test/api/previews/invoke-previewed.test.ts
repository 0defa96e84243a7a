import { newId } from '../../../domain/ids.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { budgetSchema } from '../../../api/budgets/schemas.ts';
import { admit } from '../../../api/invocations/admit.ts';
import { startInvocationWorkflow } from '../../../api/invocations/start-invocation-workflow.ts';
import { previewSchema } from '../../../api/previews/schemas.ts';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { invocationWorkflowId } from '../../../temporal/invocations/invoke-action.ts';
import { startTestApi } from '../harness/test-api.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { beginRun, createAction, dataOf, effectOf, errorOf, invocationIn, invoke } from '../invocations/support.ts';
import { expire, preview, readPreview, tamper } from './support.ts';
import { closedPort } from '../harness/closed-port.ts';

const VALUE = 'pk_live_12345678';
const refundConfig = (path: string): JsonObject => ({
  url: `${target.baseUrl}${path}?for={{invocation.id}}`,
  headers: { authorization: 'Bearer {{secret:pay_key}}' },
  body: { payment: '{{input.payment}}', amount: '{{input.amount}}', note: '{{input.note}}' },
  idempotencyHeader: 'idempotency-key',
});

const [service, target] = await Promise.all([startTestService(), startTarget()]);
await service.call('PUT', '/api/v2/secrets/pay_key', { key: service.key, body: { value: VALUE } });
const refund = await createAction(service, refundConfig('/ok'));
const [run, otherRun] = [await beginRun(service), await beginRun(service)];
const INPUT = { payment: 'pay_1', amount: 1250, note: 'né à Zürich {{secret:pay_key}}' };
const UNNAMED = {
  operationKey: null,
  idempotencyKey: null,
  retryOf: null,
  runId: null,
  agentId: null,
  dependsOn: [],
  compensates: null,
  connectedAppId: null,
  credential: { type: 'session' as const, scopes: new Set<never>() },
};

describe('an invocation that names a preview', () => {
  test('sends byte for byte what the preview showed, and the effect says what it executed', async () => {
    const action = await createAction(service, refundConfig('/echo'));
    const made = await preview(service, action, { input: INPUT });
    const { status, invocation } = await invoke(service, action, { input: INPUT, previewId: made.id });
    expect([status, invocation.status]).toEqual([200, 'succeeded']);
    const [sent, ...others] = await target.requests('/echo');
    expect(others).toEqual([]);
    expect(sent?.url).toBe(made.request.url.slice(target.baseUrl.length));
    expect(sent?.body).toBe(made.request.body);
    for (const [name, value] of Object.entries(made.request.headers)) {
      expect(sent?.headers[name.toLowerCase()], name).toBe(value.replace('{{secret:pay_key}}', VALUE));
    }
    const effect = await effectOf(service, invocation);
    expect(effect).toMatchObject({
      previewId: made.id,
      bindingDigest: made.bindingDigest,
      request: made.request,
      preview: { id: made.id, effectId: effect.id, bindingDigest: made.bindingDigest, blocks: made.blocks },
    });
    expect(previewSchema.parse(effect.preview)).toEqual(await readPreview(service, made.id));
    expect(effect.evidence[0]).toMatchObject({
      source: 'preview',
      observedAt: made.evidenceObservedAt,
      impliedOutcome: null,
      details: { previewId: made.id, bindingDigest: made.bindingDigest, requestDigest: made.requestDigest },
    });
    expect(made.request.headers['idempotency-key']).toBe(effect.id);
    expect(made.request.url.endsWith(invocation.id)).toBe(true);
  });

  test('takes the operation key that the preview named', async () => {
    const made = await preview(service, refund, { input: INPUT, operationKey: 'named-in-the-preview' });
    const { invocation } = await invoke(
      service,
      refund,
      { input: INPUT, previewId: made.id },
      { 'Idempotency-Key': 'another-name' },
    );
    expect(invocation).toMatchObject({ operationKey: 'named-in-the-preview', status: 'succeeded' });
  });

  test('is answered from the record where it is the same request with the same operation key', async () => {
    const made = await preview(service, refund, { input: INPUT });
    const body = { input: INPUT, previewId: made.id, operationKey: 'once' };
    const { invocation } = await invoke(service, refund, body);
    await expire(service, made.id);
    const before = await target.requests('/ok');
    const again = await invoke(service, refund, body);
    expect(again.status).toBe(200);
    expect(again.invocation).toEqual(invocation);
    expect(await target.requests('/ok')).toEqual(before);
    const reuse = await service.post(`/api/v2/actions/${refund}/invoke`, { input: INPUT, operationKey: 'once' });
    expect([reuse.status, errorOf(reuse).code]).toEqual([409, 'OPERATION_KEY_REUSE']);
  });
});

describe('refused before anything is written', () => {
  test.each<[string, (body: JsonObject) => JsonObject]>([
    ['another input', (body) => ({ ...body, input: { ...INPUT, amount: 1251 } })],
    ['more input', (body) => ({ ...body, input: { ...INPUT, more: 1 } })],
    ['another operation key', (body) => ({ ...body, operationKey: 'other' })],
    ['another run', (body) => ({ ...body, runId: otherRun })],
    ['no run', (body) => without(body, 'runId')],
    ['another agent', (body) => ({ ...body, agentId: 'other' })],
    ['no agent', (body) => without(body, 'agentId')],
  ])('%s is PREVIEW_MISMATCH, and the preview stays usable', async (what, change) => {
    const bound = { input: INPUT, operationKey: `bound: ${what}`, runId: run, agentId: 'agent' };
    const made = await preview(service, refund, bound);
    const reply = await service.post(`/api/v2/actions/${refund}/invoke`, change({ ...bound, previewId: made.id }));
    expect([reply.status, errorOf(reply).code]).toEqual([409, 'PREVIEW_MISMATCH']);
    const right = await invoke(service, refund, { ...bound, previewId: made.id });
    expect(right.invocation.status).toBe('succeeded');
  });

  test('another action, and a newer version of the same, are PREVIEW_MISMATCH', async () => {
    const action = await createAction(service, refundConfig('/ok'));
    const made = await preview(service, action, { input: INPUT });
    const elsewhere = await service.post(`/api/v2/actions/${refund}/invoke`, { input: INPUT, previewId: made.id });
    expect([elsewhere.status, errorOf(elsewhere).code]).toEqual([409, 'PREVIEW_MISMATCH']);
    await service.call('PATCH', `/api/v2/actions/${action}`, { key: service.key, body: { timeoutMs: 9_999 } });
    const changed = await service.post(`/api/v2/actions/${action}/invoke`, { input: INPUT, previewId: made.id });
    expect([changed.status, errorOf(changed).code]).toEqual([409, 'PREVIEW_MISMATCH']);
  });

  test('an operation key that only the Idempotency-Key brings, where the request carries it, is PREVIEW_MISMATCH', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok`, body: { key: '{{operationKey}}' } });
    const made = await preview(service, action);
    const body = { input: {}, previewId: made.id };
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, body, { 'Idempotency-Key': 'brought' });
    expect([reply.status, errorOf(reply).code]).toEqual([409, 'PREVIEW_MISMATCH']);
    expect((await invoke(service, action, body)).invocation.status).toBe('succeeded');
  });

  test('a preview whose time is over is PREVIEW_EXPIRED', async () => {
    const made = await preview(service, refund, { input: INPUT });
    await expire(service, made.id);
    const reply = await service.post(`/api/v2/actions/${refund}/invoke`, { input: INPUT, previewId: made.id });
    expect([reply.status, errorOf(reply).code]).toEqual([409, 'PREVIEW_EXPIRED']);
  });

  test('a used preview is refused with PREVIEW_ALREADY_USED after any end of its invocation', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/status?status=422` });
    const made = await preview(service, action);
    const { invocation } = await invoke(service, action, { input: {}, previewId: made.id });
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, { input: {}, previewId: made.id });
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({
      code: 'PREVIEW_ALREADY_USED',
      details: { invocationId: invocation.id },
    });
  });

  test('a preview of another environment, and one that never was, are 404', async () => {
    const { key } = await service.createKey(service.database.tenants.staging);
    const made = await preview(service, refund, { input: INPUT });
    const other = {
      post: (path: string, body: unknown) => service.call('POST', path, { key, body }),
      get: service.get,
    };
    const action = await createAction(other, { url: `${target.baseUrl}/ok` });
    for (const previewId of [made.id, 'prv_0351NTsRiaVmWP92Y4jFhc']) {
      const reply = await other.post(`/api/v2/actions/${action}/invoke`, { input: {}, previewId });
      expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await service.call('GET', `/api/v2/actions/previews/${made.id}`, { key })).status).toBe(404);
  });
});

describe('at once', () => {
  test('twenty invocations with one preview are one invocation', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/at-once` });
    const made = await preview(service, action);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.post(`/api/v2/actions/${action}/invoke`, {
          input: {},
          previewId: made.id,
          operationKey: `key-${index}`,
        }),
      ),
    );
    const admitted = replies.filter((reply) => reply.status === 200).map((reply) => invocationIn(reply).id);
    expect(admitted).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect([reply.status, errorOf(reply).code]).toEqual([409, 'PREVIEW_ALREADY_USED']);
    }
    expect(await target.requests('/at-once')).toHaveLength(1);
    const rows = await service.database.asOwner('SELECT id FROM invocations WHERE preview_id = $1', [made.id]);
    expect(rows).toEqual([{ id: admitted[0] }]);
  });

  test('twenty of the same request with one operation key are one invocation, and all are told of it', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/same` });
    const made = await preview(service, action);
    const body = { input: {}, previewId: made.id, operationKey: 'the-same' };
    const replies = await Promise.all(Array.from({ length: 20 }, () => invoke(service, action, body)));
    expect(new Set(replies.map(({ invocation }) => invocation.id)).size).toBe(1);
    expect(await target.requests('/same')).toHaveLength(1);
  });
});

describe('what changed between the admission and the reservation', () => {
  async function evaluatedAfter(change: (previewId: string) => Promise<unknown>, action = refund): Promise<JsonObject> {
    const made = await preview(service, action, { input: INPUT });
    const invocationId = await admittedOnly(action, made.id);
    await change(made.id);
    const ref = { invocationId, ...service.database.tenant };
    await service.starters.startInvocation(ref);
    await service.client.workflow.getHandle(invocationWorkflowId(invocationId)).result();
    const { status, grade, error } = invocationIn(await service.get(`/api/v2/actions/invocations/${invocationId}`));
    return { status, grade, error };
  }

  /** The state that an API process leaves when it dies between its commit and the start. */
  async function admittedOnly(ref: string, previewId: string): Promise<string> {
    const { tenant } = service.database;
    // A requester who may still act at the last check.
    const { record } = await service.createKey(tenant);
    const actor = { type: 'api_key', id: record.id } as const;
    const admitted = await service.database.db.withEnvironment(tenant, (tx) =>
      admit(
        tx,
        { ref, input: INPUT, previewId, ...UNNAMED, actor, requestId: newId('request') },
        { issuesOf: () => [] },
      ),
    );
    return admitted.invocationId;
  }

  test('a secret that was replaced: refused, and the target has seen nothing', async () => {
    const before = await target.requests('/ok');
    const end = await evaluatedAfter(() =>
      service.call('PUT', '/api/v2/secrets/pay_key', { key: service.key, body: { value: VALUE } }),
    );
    expect(end).toMatchObject({
      status: 'refused',
      grade: 'refused',
      error: expect.stringMatching(/precondition_changed.*pay_key/) as string,
    });
    expect(await target.requests('/ok')).toEqual(before);
  });

  test('its time: refused with preview_expired', async () => {
    expect(await evaluatedAfter((id) => expire(service, id))).toMatchObject({
      error: expect.stringMatching(/^dispatch refused \(preview_expired\)/) as string,
    });
  });

  test('the stored preview itself: refused with digest_mismatch', async () => {
    const end = await evaluatedAfter((id) =>
      tamper(service, `UPDATE previews SET request = jsonb_set(request, '{method}', '"PUT"') WHERE id = '${id}'`),
    );
    expect(end).toMatchObject({ error: expect.stringMatching(/^dispatch refused \(digest_mismatch\)/) as string });
  });

  test('the action: refused with action_version_changed', async () => {
    const action = await createAction(service, refundConfig('/ok'));
    const end = await evaluatedAfter(
      () => service.call('PATCH', `/api/v2/actions/${action}`, { key: service.key, body: { timeoutMs: 9_998 } }),
      action,
    );
    expect(end).toMatchObject({
      error: expect.stringMatching(/^dispatch refused \(action_version_changed\)/) as string,
    });
  });
});

describe('an admission that is withdrawn', () => {
  test('frees its preview: the next one executes it, also where a workflow had found the first one withdrawn', async () => {
    const action = await createAction(service, refundConfig('/empty'));
    const made = await preview(service, action, { input: INPUT });
    // Its key has a budget: what the withdrawn admission reserved is given back, and reserved again.
    const { keyId } = dataOf(await service.get('/api/v2/auth/identity'), z.object({ keyId: z.string() }));
    const budget = `/api/v2/budgets/${keyId}`;
    const { used } = dataOf(
      await service.call('PUT', budget, { key: service.key, body: { caps: { invocations: 2 ** 40 } } }),
      budgetSchema,
    );
    await whileAway(async (cutOff) => {
      const reply = await cutOff(`/api/v2/actions/${action}/invoke`, { input: INPUT, previewId: made.id });
      expect(reply.status).toBe(503);
    });
    expect(await readPreview(service, made.id)).toMatchObject({ expired: false, effectId: null });
    // The start had reached Temporal nevertheless: its workflow finds nothing, and ends.
    const invocationId = made.request.url.slice(-26);
    const ref = { invocationId, ...service.database.tenant };
    await startInvocationWorkflow(service.client, ref, {
      actionName: action,
      environmentName: null,
      requestId: null,
      eager: false,
      taskQueue: service.taskQueue,
    });
    expect(await service.client.workflow.getHandle(invocationWorkflowId(invocationId)).result()).toBeNull();

    const { status, invocation } = await invoke(service, action, { input: INPUT, previewId: made.id });
    expect([status, invocation.id, invocation.status]).toEqual([200, invocationId, 'succeeded']);
    expect(await target.requests('/empty')).toHaveLength(1);
    expect(dataOf(await service.get(budget), budgetSchema)).toMatchObject({
      used: { invocations: used.invocations + ADMISSION_ESTIMATE_MICROCENTS.invocations },
      reserved: { total: 0 },
    });
    await service.call('DELETE', budget, { key: service.key });
  });
});

const without = (body: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));

type Post = (path: string, body: unknown) => ReturnType<TestService['post']>;

/** Another API process on the same database, whose Temporal is away. */
async function whileAway(work: (cutOff: Post) => Promise<void>): Promise<void> {
  const api = await startTestApi({
    database: service.database,
    temporalAddress: `127.0.0.1:${await closedPort()}`,
    taskQueue: service.taskQueue,
  });
  try {
    await work((path, body) => api.call('POST', path, { key: service.key, body }));
  } finally {
    await api.close();
  }
}
