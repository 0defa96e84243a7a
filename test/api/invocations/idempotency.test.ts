import { describe, expect, test } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, errorOf, invocationIn, invoke } from './support.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

describe('Idempotency-Key on invoke', () => {
  test('fifty concurrent invokes make one call, one effect and fifty equal replies, 49 of them replays', async () => {
    await target.reset();
    const action = await createAction(
      service,
      { url: `${target.baseUrl}/slow-body?everyMs=20`, body: { amount: '{{input.amount}}' } },
      { timeoutMs: 3_000 },
    );
    const orders = await createAction(service, { url: `${target.baseUrl}/orders`, body: { id: 'fifty' } });
    for (const name of [orders, action]) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, () =>
          invoke(service, name, { input: { amount: 1 } }, { 'Idempotency-Key': `fifty-${name}` }),
        ),
      );
      expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
      expect(replies.map((reply) => reply.status)).toEqual(Array.from({ length: 50 }, () => 200));
      expect(replies.filter((reply) => reply.headers.get('X-Idempotent-Replay') === 'true')).toHaveLength(49);
    }
    expect(await service.database.asOwner('SELECT id FROM effects')).toHaveLength(2);
    expect(await target.requests('/orders')).toHaveLength(1);
    expect(await target.requests('/slow-body')).toHaveLength(1);
  });

  test('the key with another body, or for another action, is refused', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const other = await createAction(service, { url: `${target.baseUrl}/ok` });
    const headers = { 'Idempotency-Key': 'reused' };
    await invoke(service, action, { input: { a: 1 } }, headers);
    for (const reply of [
      await service.post(`/api/v2/actions/${action}/invoke`, { input: { a: 2 } }, headers),
      await service.post(`/api/v2/actions/${other}/invoke`, { input: { a: 1 } }, headers),
    ]) {
      expect([reply.status, errorOf(reply).code]).toEqual([409, 'idempotency_key_reuse']);
    }
  });

  test('a request that failed frees the key', async () => {
    const inputSchema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
    const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { inputSchema });
    const headers = { 'Idempotency-Key': 'freed' };
    const bad = await service.post(`/api/v2/actions/${action}/invoke`, { input: {} }, headers);
    expect(bad.status).toBe(400);
    const good = await invoke(service, action, { input: { amount: 1 } }, headers);
    expect(good.status).toBe(200);
    expect(good.headers.get('X-Idempotent-Replay')).toBeNull();
  });

  test('another environment with the same key has an invocation of its own', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const headers = { 'Idempotency-Key': 'per-environment' };
    const first = await invoke(service, action, { input: {} }, headers);
    const { key } = await service.createKey(service.database.tenants.staging);
    const made = await service.call('POST', '/api/v2/actions', {
      key,
      body: {
        name: action,
        adapter: { type: 'http.request', config: { method: 'POST', url: `${target.baseUrl}/ok` } },
      },
    });
    expect(made.status).toBe(201);
    const second = await service.call('POST', `/api/v2/actions/${action}/invoke`, {
      key,
      body: { input: {} },
      headers,
    });
    expect(second.status).toBe(200);
    expect(second.headers.get('X-Idempotent-Replay')).toBeNull();
    expect(invocationIn(second).id).not.toBe(first.invocation.id);
  });
});

describe('the operation key', () => {
  test('defaults to the Idempotency-Key, else to the invocation id', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    expect(
      (await invoke(service, action, { input: {} }, { 'Idempotency-Key': 'default-key' })).invocation.operationKey,
    ).toBe('default-key');
    const { invocation } = await invoke(service, action);
    expect(invocation.operationKey).toBe(invocation.id);
  });

  test('returns the recorded reply to the same request permanently, independent of the HTTP cache', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const body = { input: { n: 1 }, operationKey: 'refund-1' };
    const first = await invoke(service, action, body);
    const again = await Promise.all(Array.from({ length: 5 }, () => invoke(service, action, body)));
    for (const reply of again) expect(reply.invocation).toEqual(first.invocation);
    expect(await target.requests('/ok')).toHaveLength(1);
  });

  test('answers the same request with the recorded reply also where the action has changed or is archived', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const { invocation } = await invoke(service, action, { input: { n: 1 }, operationKey: 'outlives' });
    const ref = invocation.action.id;
    const inputSchema = { type: 'object', required: ['amount'] };
    const changed = await service.call('PATCH', `/api/v2/actions/${ref}`, { key: service.key, body: { inputSchema } });
    expect(changed.status).toBe(200);
    expect((await invoke(service, ref, { input: { n: 1 }, operationKey: 'outlives' })).invocation).toEqual(invocation);
    const other = await service.post(`/api/v2/actions/${ref}/invoke`, { input: { n: 2 }, operationKey: 'outlives' });
    expect(other.status).toBe(400);
    expect((await service.call('DELETE', `/api/v2/actions/${ref}`, { key: service.key })).status).toBe(200);
    expect((await invoke(service, ref, { input: { n: 1 }, operationKey: 'outlives' })).invocation).toEqual(invocation);
    expect(await target.requests('/ok')).toHaveLength(1);
  });

  test('that another request used is refused, and the invocation is named', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const { invocation } = await invoke(service, action, { input: { n: 1 }, operationKey: 'refund-2' });
    const reply = await service.post(`/api/v2/actions/${action}/invoke`, { input: { n: 2 }, operationKey: 'refund-2' });
    expect(reply.status).toBe(409);
    expect(errorOf(reply)).toMatchObject({ code: 'OPERATION_KEY_REUSE', details: { invocationId: invocation.id } });
  });

  test('two equal requests under two keys are two operations', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    await invoke(service, action, { input: { n: 1 }, operationKey: 'equal-1' });
    await invoke(service, action, { input: { n: 1 }, operationKey: 'equal-2' });
    expect(await target.requests('/ok')).toHaveLength(2);
  });

  test('concurrent first uses without an Idempotency-Key make one call', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/ok` });
    const body = { input: {}, operationKey: 'racing' };
    const replies = await Promise.all(Array.from({ length: 10 }, () => invoke(service, action, body)));
    expect(new Set(replies.map((reply) => reply.invocation.id)).size).toBe(1);
    expect(await target.requests('/ok')).toHaveLength(1);
  });
});
