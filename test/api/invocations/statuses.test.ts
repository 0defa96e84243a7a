import { describe, expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import {
  createAction,
  effectIn,
  effectOf,
  effectsIn,
  errorOf,
  invocationIn,
  invocationsIn,
  invoke,
} from './support.ts';
import { countRows } from '../harness/count-rows.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const invocationCount = (): Promise<number> => countRows(service.database, 'invocations');

const inputSchema = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 1 }, customer: { type: 'object' } },
  required: ['amount'],
  additionalProperties: false,
};

describe('POST /actions/{ref}/invoke', () => {
  test('200 by name and by id', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/ok` });
    const { invocation } = await invoke(service, name);
    const byId = await invoke(service, invocation.action.id);
    expect(byId.status).toBe(200);
    expect(byId.invocation.action).toEqual({ id: invocation.action.id, name });
  });

  test.each([
    ['input left out', {}, 'body.input'],
    ['input that is no object', { input: [] }, 'body.input'],
    ['an unknown field', { input: { amount: 1 }, foo: 1 }, 'body.foo'],
    ['input that does not fit the schema', { input: { amount: 0 } }, 'body.input.amount'],
    ['an unknown member of the input', { input: { amount: 1, extra: true } }, 'body.input'],
    ['an operation key that is empty', { input: { amount: 1 }, operationKey: '' }, 'body.operationKey'],
    ['an operation key that is too long', { input: { amount: 1 }, operationKey: 'k'.repeat(256) }, 'body.operationKey'],
    ['a retry of what is no invocation id', { input: { amount: 1 }, retryOf: 'inv_1' }, 'body.retryOf'],
    [
      'a retry of an invocation that is not there',
      { input: { amount: 1 }, retryOf: newId('invocation') },
      'body.retryOf',
    ],
    ['an agent id that is too long', { input: { amount: 1 }, agentId: 'a'.repeat(61) }, 'body.agentId'],
    ['a template that does not resolve', { input: { amount: 1 } }, 'body.input.customer.id'],
  ])('400 for %s, and nothing is admitted', async (what, body, path) => {
    const url = what.includes('template')
      ? `${target.baseUrl}/customers/{{input.customer.id}}`
      : `${target.baseUrl}/ok`;
    const name = await createAction(service, { url }, { inputSchema });
    const before = await invocationCount();
    const reply = await service.post(`/api/v2/actions/${name}/invoke`, body);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(errorOf(reply).details)).toContain(path);
    expect(await invocationCount()).toBe(before);
  });

  test('404 for an action of another environment, one that is not there, and one that is archived', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/ok` });
    const { invocation } = await invoke(service, name);
    const { key } = await service.createKey(service.database.tenants.production);
    const elsewhere = await service.call('POST', `/api/v2/actions/${invocation.action.id}/invoke`, {
      key,
      body: { input: {} },
    });
    expect(elsewhere.status).toBe(404);
    expect((await service.post('/api/v2/actions/not-there/invoke', { input: {} })).status).toBe(404);
    await service.call('DELETE', `/api/v2/actions/${name}`, { key: service.key });
    const archived = await service.post(`/api/v2/actions/${invocation.action.id}/invoke`, { input: {} });
    expect(archived.status).toBe(404);
    expect(errorOf(archived).message).toContain('archived');
  });

  test('409 for a retry of what is not known yet; 200 once it is known', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/status?status={{input.status}}` });
    const unknown = (await invoke(service, name, { input: { status: 503 } })).invocation;
    const refused = await service.post(`/api/v2/actions/${name}/invoke`, {
      input: { status: 200 },
      retryOf: unknown.id,
    });
    expect(refused.status).toBe(409);
    expect(errorOf(refused).message).toContain('unknown');
    const failed = (await invoke(service, name, { input: { status: 422 } })).invocation;
    const again = await invoke(service, name, { input: { status: 200 }, retryOf: failed.id });
    expect(again.invocation).toMatchObject({ status: 'succeeded', retryOf: failed.id });
  });
});

describe('GET /actions/invocations', () => {
  test('200 with filters and pages, newest first; one action’s own list', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/status?status={{input.status}}` });
    const ids: string[] = [];
    for (const status of [200, 422, 200])
      ids.unshift((await invoke(service, name, { input: { status } })).invocation.id);
    const all = await service.get(`/api/v2/actions/${name}/invocations`);
    expect(invocationsIn(all).map((invocation) => invocation.id)).toEqual(ids);
    const failed = invocationsIn(await service.get(`/api/v2/actions/${name}/invocations?status=failed&grade=failed`));
    expect(failed.map((invocation) => invocation.id)).toEqual([ids[1]]);
    const page = await service.get(`/api/v2/actions/${name}/invocations?page=2&limit=2`);
    expect(invocationsIn(page).map((invocation) => invocation.id)).toEqual([ids[2]]);
    expect(page.json).toMatchObject({ pagination: { total: 3, page: 2, limit: 2, totalPages: 2, hasMore: false } });
    expect(
      invocationsIn(await service.get('/api/v2/actions/invocations?limit=3')).map((invocation) => invocation.id),
    ).toEqual(ids);
    expect((await service.get('/api/v2/actions/invocations?status=nope')).status).toBe(400);
    expect((await service.get('/api/v2/actions/not-there/invocations')).status).toBe(404);
  });

  test('200 for one, 404 for one that is not there', async () => {
    const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`))).toEqual(invocation);
    expect((await service.get(`/api/v2/actions/invocations/${newId('invocation')}`)).status).toBe(404);
  });
});

describe('GET /actions/effects', () => {
  test('200 with the filter by grade, each with its attempts and evidence', async () => {
    const name = await createAction(service, { url: `${target.baseUrl}/status?status={{input.status}}` });
    for (const status of [200, 422, 503]) await invoke(service, name, { input: { status } });
    for (const grade of ['acknowledged', 'failed', 'unknown'] as const) {
      const effects = effectsIn(await service.get(`/api/v2/actions/effects?grade=${grade}&action=${name}`));
      // What is unknown may have been read already.
      const shown = effects.map(({ grade, attempts, evidence, evidenceCount }) => ({
        grade,
        kind: attempts[0]?.kind,
        first: evidence[0]?.source,
        isWhole: evidence.length === evidenceCount && attempts.length === evidence.length,
      }));
      expect(shown).toEqual([{ grade, kind: 'dispatch', first: 'provider_response', isWhole: true }]);
    }
    expect((await service.get('/api/v2/actions/effects?grade=nope')).status).toBe(400);
    expect((await service.get(`/api/v2/actions/effects/${newId('effect')}`)).status).toBe(404);
    expect((await service.get(`/api/v2/actions/effects/${'e'.repeat(101)}`)).status).toBe(400);
  });
});

describe('POST /actions/effects/{id}/notes', () => {
  test('201 appends an operator note and changes no outcome', async () => {
    const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    const before = await effectOf(service, invocation);
    const reply = await service.post(`/api/v2/actions/effects/${before.id}/notes`, { note: 'asked the provider' });
    expect(reply.status).toBe(201);
    const after = effectIn(reply);
    expect(after.evidence.slice(0, -1)).toEqual(before.evidence);
    expect(after.evidence.at(-1)).toMatchObject({
      source: 'operator_note',
      summary: 'asked the provider',
      impliedOutcome: null,
      actor: { type: 'api_key' },
    });
    expect({ ...after, evidence: [] }).toEqual({ ...before, evidence: [] });
  });

  test('400 for a note that is too short or too long, 403 without actions:resolve, 404 elsewhere', async () => {
    const { invocation } = await invoke(service, await createAction(service, { url: `${target.baseUrl}/ok` }));
    const path = `/api/v2/actions/effects/${invocation.effectId}/notes`;
    expect((await service.post(path, { note: 'ab' })).status).toBe(400);
    expect((await service.post(path, { note: 'n'.repeat(2_001) })).status).toBe(400);
    expect((await service.post(path, { note: 'n'.repeat(2_000) })).status).toBe(201);
    const standard = await service.createKey(service.database.tenant, { preset: 'standard' });
    const forbidden = await service.call('POST', path, { key: standard.key, body: { note: 'looked' } });
    expect(forbidden.status).toBe(403);
    expect(errorOf(forbidden).message).toContain('actions:resolve');
    const { key } = await service.createKey(service.database.tenants.staging);
    expect((await service.call('POST', path, { key, body: { note: 'looked' } })).status).toBe(404);
  });
});
