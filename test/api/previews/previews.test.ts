import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { beginRun, createAction, errorOf, invoke } from '../invocations/support.ts';
import { blockOf, expire, preview, previewIn, readPreview } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

const refundConfig = (): JsonObject => ({
  url: `${target.baseUrl}/ok?for={{invocation.id}}`,
  headers: { authorization: 'Bearer {{secret:pay_key}}' },
  body: { payment: '{{input.payment}}', amount: '{{input.amount}}' },
  idempotencyHeader: 'idempotency-key',
});
const REFUND: JsonObject = {
  inputSchema: {
    type: 'object',
    required: ['payment', 'amount'],
    properties: { payment: { type: 'string' }, amount: {} },
  },
  impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
};

const [service, target] = await Promise.all([startTestService(), startTarget()]);
await service.call('PUT', '/api/v2/secrets/pay_key', { key: service.key, body: { value: 'pk_live_12345678' } });
const refund = await createAction(service, refundConfig(), REFUND);
const INPUT = { payment: 'pay_1', amount: 1250 };

const rowsOf = (table: string): Promise<number> => countRows(service.database, table);

describe('a preview', () => {
  test('shows exactly what would be sent, what it uses up and what it rests on, and sends nothing', async () => {
    const made = await preview(service, refund, {
      input: INPUT,
      runId: await beginRun(service),
      agentId: 'agent',
    });
    expect(made).toMatchObject({
      action: { name: refund },
      adapter: { type: 'http.request', version: '1' },
      environment: { kind: 'development', name: 'Development' },
      target: { method: 'POST', host: target.host, path: '/ok' },
      impact: [{ dimension: 'money', currency: 'usd', amount: 1250, bound: 'exact' }],
      preconditions: {
        actionVersionId: made.action.versionId,
        policyRevision: 0,
        secretVersions: { pay_key: 1 },
        adapter: {},
      },
      capabilities: { idempotent: true, preview: true },
      allowances: [],
      expired: false,
      supersedes: null,
      effectId: null,
    });
    expect(made.request).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer {{secret:pay_key}}' },
      body: '{"amount":1250,"payment":"pay_1"}',
      bodyEncoding: 'utf8',
    });
    expect(made.request.headers['idempotency-key']).toMatch(/^eff_/);
    expect(made.request.url).toMatch(/\/ok\?for=inv_/);
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeCloseTo(15 * 60_000, -3);
    expect(blockOf(made, 'fields').fields).toEqual(
      expect.arrayContaining([
        { label: 'Method', value: 'POST' },
        { label: 'body.amount', value: '1250' },
        { label: 'body.payment', value: 'pay_1' },
      ]),
    );
    expect(blockOf(made, 'impact').quantities).toEqual(made.impact);
    const kinds = blockOf(made, 'limitations').items?.map((item) => item.kind);
    expect(kinds).toEqual(expect.arrayContaining(['guarantee', 'freshness', 'irreversible']));
    expect(await target.requests('/ok')).toEqual([]);
    expect(await readPreview(service, made.id)).toEqual(made);
  });

  test('has another digest for another expiry or another input; the request has its own digest', async () => {
    const [first, second, other] = [
      await preview(service, refund, { input: INPUT, expiresIn: 'PT5M' }),
      await preview(service, refund, { input: INPUT, expiresIn: 'PT24H' }),
      await preview(service, refund, { input: { ...INPUT, amount: 1251 }, expiresIn: 'PT5M' }),
    ];
    const digests = [first, second, other].flatMap((made) => [made.bindingDigest, made.requestDigest]);
    expect(new Set(digests).size).toBe(6);
    for (const digest of digests) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(Date.parse(second.expiresAt) - Date.parse(second.createdAt)).toBeCloseTo(24 * 3_600_000, -3);
  });

  test('shows what remains of the impact limits', async () => {
    const limit = await service.post('/api/v2/impact-limits', {
      name: 'refunds a day',
      dimension: 'money',
      currency: 'usd',
      cap: 2000,
      period: 'day',
      scope: { actions: [refund] },
    });
    expect(limit.status).toBe(201);
    const made = await preview(service, refund, { input: INPUT });
    expect(made.allowances).toMatchObject([
      {
        name: 'refunds a day',
        cap: 2000,
        available: 2000,
        requested: 1250,
        sufficient: true,
        refusal: null,
      },
    ]);
  });

  test('cannot be changed or removed, not by the application', async () => {
    const made = await preview(service, refund, { input: INPUT });
    for (const statement of [`UPDATE previews SET impact = '[]' WHERE id = ?`, 'DELETE FROM previews WHERE id = ?']) {
      const change = service.database.db.withEnvironment(service.database.tenant, (tx) =>
        tx.raw(null, statement, [made.id]),
      );
      await expect(change).rejects.toThrow(/permission denied/);
    }
    await expect(
      service.database.asOwner('UPDATE previews SET impact = impact WHERE id = $1', [made.id]),
    ).rejects.toThrow(/append-only/);
  });
});

describe('what cannot be previewed', () => {
  test.each([
    ['no input', {}],
    ['an input that does not fit', { input: { payment: 'pay_1' } }],
    ['an unknown field', { input: INPUT, previewId: 'prv_0351NTsRiaVmWP92Y4jFhc' }],
    ['less than a minute', { input: INPUT, expiresIn: 'PT59S' }],
    ['more than a day', { input: INPUT, expiresIn: 'P1DT1S' }],
    ['no duration', { input: INPUT, expiresIn: '900' }],
  ])('%s is 400', async (_, body) => {
    const reply = await service.post(`/api/v2/actions/${refund}/previews`, body);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('a plain action is 409 and says what to do', async () => {
    const plain = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed: false });
    const reply = await service.post(`/api/v2/actions/${plain}/previews`, { input: {} });
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('governed: true') as string,
    });
  });

  test.each([
    ['a missing secret', { headers: { x: '{{secret:nobody}}' } }, {}, 'secret_missing'],
    [
      'a host that is not allowed',
      { url: 'http://{{input.host}}/', allowedHosts: ['example.com'] },
      { host: 'example.org' },
      'destination_blocked',
    ],
  ])('%s is 409 with the refusal', async (_, config, input, code) => {
    const before = await rowsOf('previews');
    const action = await createAction(service, { url: `${target.baseUrl}/ok`, ...config });
    const reply = await service.post(`/api/v2/actions/${action}/previews`, { input });
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({ code: 'CONFLICT', details: { refusal: { code } } });
    expect(await rowsOf('previews')).toBe(before);
  });

  test('an impact without a bound is 409 with the refusal', async () => {
    const reply = await service.post(`/api/v2/actions/${refund}/previews`, { input: { ...INPUT, amount: -1 } });
    expect(errorOf(reply)).toMatchObject({ code: 'CONFLICT', details: { refusal: { code: 'impact_unbounded' } } });
  });

  test('an operation key that is taken is 409 OPERATION_KEY_REUSE', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const { invocation } = await invoke(service, action, { input: {}, operationKey: 'taken' });
    const reply = await service.post(`/api/v2/actions/${action}/previews`, { input: {}, operationKey: 'taken' });
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({ code: 'OPERATION_KEY_REUSE', details: { invocationId: invocation.id } });
  });
});

describe('a refresh', () => {
  const refresh = (id: string, body?: JsonObject) => service.post(`/api/v2/actions/previews/${id}/refresh`, body);

  test('makes a new preview of the same request from what is in force now; the old one is over', async () => {
    const action = await createAction(service, refundConfig(), REFUND);
    const asked = { input: INPUT, operationKey: `refund-${action}`, agentId: 'agent', expiresIn: 'PT2M' };
    const old = await preview(service, action, asked);
    await service.call('PUT', '/api/v2/secrets/pay_key', { key: service.key, body: { value: 'pk_live_87654321' } });
    await service.call('PATCH', `/api/v2/actions/${action}`, { key: service.key, body: { timeoutMs: 4_321 } });
    const reply = await refresh(old.id);
    expect(reply.status).toBe(201);
    const made = previewIn(reply);
    expect(made).toMatchObject({ supersedes: old.id, expired: false, impact: old.impact });
    expect(made.action.versionId).not.toBe(old.action.versionId);
    expect(made.preconditions).toMatchObject({
      actionVersionId: made.action.versionId,
      secretVersions: { pay_key: 2 },
    });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeCloseTo(120_000, -3);
    expect(made.request.headers['idempotency-key']).not.toBe(old.request.headers['idempotency-key']);
    expect(await readPreview(service, old.id)).toEqual({ ...old, expired: true });

    const { expiresIn: _, ...request } = asked;
    const withOld = await service.post(`/api/v2/actions/${action}/invoke`, { ...request, previewId: old.id });
    expect(withOld.status).toBe(409);
    expect(errorOf(withOld)).toMatchObject({ code: 'PREVIEW_EXPIRED', details: { supersededBy: made.id } });
    const { invocation } = await invoke(service, action, { ...request, previewId: made.id });
    expect(invocation.status).toBe('succeeded');
  });

  test('renews an expired one, and refuses one that has a successor or was used', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const old = await preview(service, action);
    await expire(service, old.id);
    expect(await readPreview(service, old.id)).toMatchObject({ expired: true });
    const made = previewIn(await refresh(old.id, { expiresIn: 'PT1H' }));
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeCloseTo(3_600_000, -3);
    const again = await refresh(old.id);
    expect([again.status, errorOf(again).code]).toEqual([409, 'PREVIEW_EXPIRED']);
    await invoke(service, action, { input: {}, previewId: made.id });
    const used = await refresh(made.id);
    expect([used.status, errorOf(used).code]).toEqual([409, 'PREVIEW_ALREADY_USED']);
  });

  test('and an invocation at the same moment: one of them comes first, and the other is told', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const ends: string[] = [];
    for (let round = 0; round < 8; round++) {
      const made = await preview(service, action);
      const [invoked, refreshed] = await Promise.all([
        service.post(`/api/v2/actions/${action}/invoke`, { input: {}, previewId: made.id }),
        refresh(made.id),
      ]);
      const codes = [invoked, refreshed].map((reply) => (reply.status < 300 ? 'done' : errorOf(reply).code));
      ends.push(codes.join(' '));
    }
    for (const end of ends) expect(['done PREVIEW_ALREADY_USED', 'PREVIEW_EXPIRED done']).toContain(end);
  });

  test('is made once where it is asked twice at once', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const old = await preview(service, action);
    const replies = await Promise.all(Array.from({ length: 6 }, () => refresh(old.id)));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(5);
  });
});

describe('a key with actions:invoke alone', () => {
  const keyWith = async (...scopes: Scope[]) => {
    const { key } = await service.createKey(service.database.tenant, { scopes });
    const post = (path: string, body: unknown) => service.call('POST', path, { key, body });
    return { post, get: (path: string) => service.call('GET', path, { key }) };
  };
  const pathOf = (id: string) => `/api/v2/actions/previews/${id}`;

  test('reads the preview that it made, and no other', async () => {
    const [agent, neighbour, reader] = await Promise.all([
      keyWith('actions:invoke'),
      keyWith('actions:invoke'),
      keyWith('actions:read'),
    ]);
    const made = await preview(agent, refund, { input: INPUT });
    expect(await readPreview(agent, made.id)).toEqual(made);
    expect(await readPreview(reader, made.id)).toEqual(made);
    const others = await Promise.all([
      neighbour.get(pathOf(made.id)),
      agent.get(pathOf((await preview(service, refund, { input: INPUT })).id)),
      // A caller cannot tell a missing row from another tenant's row.
      agent.get(pathOf('prv_0000000000000000000001')),
    ]);
    for (const reply of others) {
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
      expect(errorOf(reply).message).toContain('actions:read');
    }
  });

  test('still needs actions:read for everything else, and no other scope reads a preview', async () => {
    const made = await preview(service, refund, { input: INPUT });
    const [agent, other] = await Promise.all([keyWith('actions:invoke'), keyWith('actions:write')]);
    expect((await other.get(pathOf(made.id))).status).toBe(403);
    expect((await agent.get(`/api/v2/actions/${refund}`)).status).toBe(403);
    expect((await agent.get('/api/v2/actions/effects')).status).toBe(403);
  });
});
