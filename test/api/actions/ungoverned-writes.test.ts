import { describe, expect, it, test } from 'vitest';
import { actionRoutes } from '../../../api/actions/routes.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { importedBy, type ImportedOperation } from './import/support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** What can change something at its target is governed by an import, and ungoverned in a protected environment only for a governor. */

const keys = { governor: '', writer: '', protectedGovernor: '', protectedWriter: '' };

const api = await startTestApi({ routes: actionRoutes });
const { development, production } = api.database.tenants;
const withoutGovern = SCOPES.filter((scope) => scope !== 'actions:govern');
keys.governor = (await api.createKey(development, { scopes: SCOPES })).key;
keys.writer = (await api.createKey(development, { scopes: withoutGovern })).key;
keys.protectedGovernor = (await api.createKey(production, { scopes: SCOPES })).key;
keys.protectedWriter = (await api.createKey(production, { scopes: withoutGovern })).key;
checkEachReply(api);

let count = 0;
const unused = (): string => `ungoverned-${++count}`;
const adapter = (method: string, url = 'https://api.example.com/things') => ({
  type: 'http.request',
  config: { method, url },
});
const create = (key: string, name: string, method: string, more: JsonObject = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions', { key, body: { name, adapter: adapter(method), ...more } });
const patch = (key: string, ref: string, body: unknown): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/actions/${ref}`, { key, body });
const read = async (key: string, ref: string): Promise<JsonObject> =>
  ((await api.call('GET', `/api/v2/actions/${ref}`, { key })).json as { data: JsonObject }).data;
const importing = (key: string, document: JsonObject, more: JsonObject = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions/import', { key, body: { document, ...more } });
const imported = async (key: string, document: JsonObject, more: JsonObject = {}): Promise<ImportedOperation[]> =>
  importedBy(await importing(key, document, more));
/** Sorted by name: the order of operations is the document's. */
const byName = (left: ImportedOperation, right: ImportedOperation): number => (left.name < right.name ? -1 : 1);
const governedOf = (operations: ImportedOperation[]) =>
  operations.toSorted(byName).map(({ name, governed }) => [name, governed]);

function expectNeedsGovern(reply: CallResult): void {
  expect(reply.status, reply.text).toBe(403);
  expect(reply.json).toMatchObject({
    error: { code: 'AUTHORIZATION_ERROR', message: expect.stringContaining('actions:govern') as string },
  });
}

/** One path with an operation for each method, `<title>.<method>`. */
function documentOf(title: string, methods: readonly string[], server = 'https://api.example.com'): JsonObject {
  const operations = methods.map((method): [string, JsonObject] => [
    method,
    { operationId: `${title}.${method}`, responses: { 200: { description: 'ok' } } },
  ]);
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: server }],
    paths: { '/things': Object.fromEntries(operations) },
  };
}

/** The same operationId under another method. */
function renamedMethod(title: string, operationId: string, method: string): JsonObject {
  return { ...documentOf(title, []), paths: { '/things': { [method]: { operationId, responses: {} } } } };
}

describe('an import', () => {
  const METHODS = ['delete', 'get', 'head', 'patch', 'post', 'put'] as const;

  it.each(['governor', 'writer', 'protectedGovernor', 'protectedWriter'] as const)(
    'governs every operation but GET and HEAD, says so, and stays so: %s',
    async (who) => {
      const title = unused();
      const expected = METHODS.map((method) => [`${title}.${method}`, method !== 'get' && method !== 'head']);
      const first = await imported(keys[who], documentOf(title, METHODS));
      expect(governedOf(first)).toEqual(expected);
      for (const [name, governed] of expected) expect(await read(keys[who], String(name))).toMatchObject({ governed });
      const second = await imported(keys[who], documentOf(title, METHODS));
      expect(second.map(({ status }) => status)).toEqual(METHODS.map(() => 'unchanged'));
      expect(governedOf(second)).toEqual(expected);
    },
  );

  it('leaves ungoverned what a governor names, through later imports of others', async () => {
    const title = unused();
    const made = await imported(keys.governor, documentOf(title, ['post', 'put']), { ungoverned: [`${title}.post`] });
    expect(governedOf(made)).toEqual([
      [`${title}.post`, false],
      [`${title}.put`, true],
    ]);
    const moved = await imported(keys.writer, documentOf(title, ['post', 'put'], 'https://eu.example.com'));
    expect(moved.map(({ status }) => status)).toEqual(['updated', 'updated']);
    expect(governedOf(moved)).toEqual(governedOf(made));
    expect(await read(keys.writer, `${title}.post`)).toMatchObject({ governed: false });
  });

  it('takes the governance off what a governor names later, but never off what is declared', async () => {
    const title = unused();
    const document = documentOf(title, ['post', 'put']);
    await imported(keys.governor, document);
    const impact = [{ dimension: 'things', amount: { const: 1 }, bound: 'exact' }];
    expect((await patch(keys.governor, `${title}.put`, { impact })).status).toBe(200);
    const again = await imported(keys.governor, document, { ungoverned: [`${title}.post`, `${title}.put`] });
    expect(governedOf(again)).toEqual([
      [`${title}.post`, false],
      [`${title}.put`, true],
    ]);
    expect(again.toSorted(byName).map(({ name, status }) => [name, status])).toEqual([
      [`${title}.post`, 'updated'],
      [`${title}.put`, 'unchanged'],
    ]);
  });

  it('governs an operation that did not write before', async () => {
    const title = unused();
    const before = await imported(keys.writer, renamedMethod(title, `${title}.find`, 'get'));
    expect(governedOf(before)).toEqual([[`${title}.find`, false]]);
    const after = await imported(keys.writer, renamedMethod(title, `${title}.find`, 'post'));
    expect([after[0]?.status, after[0]?.governed]).toEqual(['updated', true]);
    expect(await read(keys.writer, `${title}.find`)).toMatchObject({ governed: true });
  });

  it('403 where a caller without actions:govern names one, and nothing is imported', async () => {
    const title = unused();
    const document = documentOf(title, ['get', 'post']);
    expectNeedsGovern(await importing(keys.writer, document, { ungoverned: [`${title}.post`] }));
    expect((await api.call('GET', `/api/v2/actions/${title}.get`, { key: keys.writer })).status).toBe(404);
  });

  it('400 for a name that is no operationId of the document', async () => {
    const title = unused();
    const reply = await importing(keys.governor, documentOf(title, ['post']), { ungoverned: [`${title}.put`] });
    expect([reply.status, reply.json]).toMatchObject([
      400,
      { error: { details: { issues: [{ path: 'body.ungoverned[0]' }] } } },
    ]);
  });

  it('changes an ungoverned action that writes only for a governor, in a protected environment', async () => {
    const title = unused();
    const ungoverned = { ungoverned: [`${title}.post`] };
    await imported(keys.protectedGovernor, documentOf(title, ['get', 'post']), ungoverned);
    const moved = documentOf(title, ['get', 'post'], 'https://eu.example.com');
    const refused = await importing(keys.protectedWriter, moved);
    expectNeedsGovern(refused);
    expect(refused.text).toContain(`${title}.post`);
    expect(await read(keys.protectedWriter, `${title}.get`)).toMatchObject({ currentVersion: { number: 1 } });
    expect((await imported(keys.protectedWriter, documentOf(title, ['get', 'post']))).map((one) => one.status)).toEqual(
      ['unchanged', 'unchanged'],
    );
    expect(governedOf(await imported(keys.protectedGovernor, moved))).toEqual([
      [`${title}.get`, false],
      [`${title}.post`, false],
    ]);
  });

  it('is written down with what it left ungoverned', async () => {
    const title = unused();
    await imported(keys.governor, documentOf(title, ['post']), { ungoverned: [`${title}.post`] });
    const entries = await api.database.asOwner<{ details: JsonObject }>(
      `SELECT details FROM audit_log WHERE action = 'actions.imported' AND details->>'title' = $1`,
      [title],
    );
    expect(entries).toMatchObject([{ details: { ungoverned: [`${title}.post`] } }]);
  });
});

describe('in a protected environment, without actions:govern', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('an ungoverned %s is not created', async (method) => {
    const name = unused();
    expectNeedsGovern(await create(keys.protectedWriter, name, method));
    expectNeedsGovern(
      await create(keys.protectedWriter, name, method, { governed: false, approval: { required: true } }),
    );
    expect((await create(keys.protectedWriter, name, method, { governed: true })).status).toBe(201);
  });

  test.each(['GET', 'HEAD'])('an ungoverned %s is created, and does not become one that writes', async (method) => {
    const name = unused();
    expect((await create(keys.protectedWriter, name, method)).status).toBe(201);
    expectNeedsGovern(await patch(keys.protectedWriter, name, { adapter: adapter('POST') }));
    expect((await patch(keys.protectedWriter, name, { adapter: adapter('POST'), governed: true })).status).toBe(200);
  });

  test('one that a governor made is neither changed nor renamed; its description is', async () => {
    const name = unused();
    expect((await create(keys.protectedGovernor, name, 'POST')).status).toBe(201);
    const moved = { adapter: adapter('POST', 'https://evil.example.com') };
    expectNeedsGovern(await patch(keys.protectedWriter, name, moved));
    expectNeedsGovern(await patch(keys.protectedWriter, name, { name: unused() }));
    expect(await read(keys.protectedWriter, name)).toMatchObject({ currentVersion: { number: 1 } });
    expect((await patch(keys.protectedWriter, name, { description: 'searches' })).status).toBe(200);
    expect((await patch(keys.protectedWriter, name, { governed: true })).status).toBe(200);
    expect((await patch(keys.protectedWriter, name, moved)).status).toBe(200);
  });

  test('with the scope all of it is allowed, and without it where the environment is not protected', async () => {
    for (const key of [keys.protectedGovernor, keys.writer]) {
      const name = unused();
      expect((await create(key, name, 'POST')).status).toBe(201);
      expect((await patch(key, name, { adapter: adapter('DELETE') })).status).toBe(200);
      expect((await patch(key, name, { name: unused() })).status).toBe(200);
    }
  });
});
