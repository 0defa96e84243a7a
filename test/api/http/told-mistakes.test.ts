import { describe, expect, it } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { policyDocument } from '../approval-policies/support.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';

/** Mistakes of a caller that the reply names: all unknown fields, the kind of an id, the header, the path. */

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenants.development);

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, path, { key, ...(body === undefined ? {} : { body }) });
const issuesOf = (reply: CallResult): Record<string, string> => {
  expect(reply.status, reply.text).toBe(400);
  const issues = errorOf(reply).details?.['issues'] as { path: string; message: string }[];
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
};

describe('unknown fields', () => {
  it('are told with near names', async () => {
    expect(issuesOf(await call('POST', '/api/v2/impact-limits', { nmae: 'x', cap: 1, colour: 'red' }))).toMatchObject({
      'body.nmae': 'is not a known field; did you mean name?',
      'body.colour': 'is not a known field',
    });
    expect(issuesOf(await call('GET', '/api/v2/actions?limt=5'))).toEqual({
      'query.limt': 'is not a known field; did you mean limit?',
    });
    const config = { method: 'POST', url: 'https://example.com', headrs: {} };
    expect(
      issuesOf(await call('POST', '/api/v2/actions', { name: 'x', adapter: { type: 'http.request', config } })),
    ).toEqual({ 'body.adapter.config.headrs': 'is not a known member; did you mean headers?' });
  });

  it('of a policy and of the body around it are told at once', async () => {
    const rule = { id: 'a', match: { action: ['x'] }, efect: 'deny' };
    const document = policyDocument({}, { rules: [rule], priorty: 1 });
    const told = {
      'body.docment': 'is not a known field; did you mean document?',
      'body.document.priorty': 'is not a known member; did you mean priority?',
      'body.document.rules[0].efect': 'is not a known member; did you mean effect?',
      'body.document.rules[0].match.action': 'is not a known member; did you mean actions?',
    };
    const body = { document, docment: document };
    expect(issuesOf(await call('POST', '/api/v2/approval-policies', body))).toMatchObject(told);
    const path = `/api/v2/approval-policies/${newId('approvalPolicy')}`;
    expect(issuesOf(await call('PATCH', path, body))).toMatchObject(told);
    const files = [{ path: 'a.json', content: JSON.stringify(document) }];
    expect(issuesOf(await call('POST', '/api/v2/approval-policies/files/plan', { files, prun: true }))).toMatchObject({
      'body.prun': 'is not a known field; did you mean prune?',
      'body.files[0].content.priorty': 'is not a known member; did you mean priority?',
    });
  });

  it('of an input are told with the near names of its schema', async () => {
    const inputSchema = { type: 'object', properties: { amount: {} }, additionalProperties: false };
    const adapter = { type: 'http.request', config: { method: 'POST', url: 'https://example.com' } };
    expect((await call('POST', '/api/v2/actions', { name: 'near.input', adapter, inputSchema })).status).toBe(201);
    const reply = await call('POST', '/api/v2/actions/near.input/invoke', { input: { amuont: 5 } });
    expect(issuesOf(reply)).toEqual({ 'body.input.amuont': 'is not a known member; did you mean amount?' });
  });
});

describe('an id of another kind', () => {
  it('is told on 404', async () => {
    const reply = await call('GET', `/api/v2/actions/invocations/${newId('effect')}`);
    expect([reply.status, errorOf(reply).message]).toEqual([404, expect.stringMatching(/ That is an effect's id\.$/)]);
    const own = await call('GET', `/api/v2/actions/invocations/${newId('invocation')}`);
    expect([own.status, errorOf(own).message]).toEqual([404, expect.not.stringContaining('That is')]);
    const action = await call('GET', `/api/v2/actions/${newId('run')}`);
    expect([action.status, errorOf(action).message]).toEqual([404, expect.stringContaining("That is a run's id.")]);
  });

  it('is told on 400', async () => {
    const path = `/api/v2/approval-policies/${newId('effect')}`;
    expect(issuesOf(await call('GET', path))).toEqual({
      'params.policyId': "must be an id of the form pol_…; that is an effect's id",
    });
    const reply = await call('POST', '/api/v2/actions/x/invoke', { input: {}, runId: newId('session') });
    expect(issuesOf(reply)).toMatchObject({ 'body.runId': "must be an id of the form run_…; that is a session's id" });
  });
});

describe('the Authorization header', () => {
  const answerTo = async (authorization?: string): Promise<[number, string, string]> => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const reply = await api.call('GET', '/api/v2/actions', { headers });
    return [reply.status, errorOf(reply).code, errorOf(reply).message];
  };

  it('is told to be missing, or of another scheme, apart from a wrong key', async () => {
    const wrong = await answerTo(`Bearer service_live_${'x'.repeat(32)}`);
    expect(await answerTo()).toEqual([401, 'AUTHENTICATION_ERROR', expect.stringContaining('no Authorization header')]);
    for (const other of [key, `Basic ${key}`, `bearer_${key}`]) {
      expect(await answerTo(other)).toEqual([
        401,
        'AUTHENTICATION_ERROR',
        expect.stringContaining('begin with Bearer'),
      ]);
    }
    expect(wrong[2]).not.toMatch(/header/);
    for (const same of ['Bearer', 'Bearer nothing', `Bearer ${key}x`, `Bearer ${key} more`]) {
      expect(await answerTo(same), same).toEqual(wrong);
    }
  });
});

it('a wrong path is told with near ones and the reference', async () => {
  const reply = await call('GET', '/invocations');
  expect([reply.status, errorOf(reply).message]).toEqual([
    404,
    expect.stringMatching(/^No such path\. Did you mean \/api\/v2\/actions\/invocations.*\? .* at \/reference/),
  ]);
});
