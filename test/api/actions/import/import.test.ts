import { type ClientRequest, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { IMPORT_BODY_BYTES_MAX } from '../../../../api/actions/import/import-body.ts';
import { actionRoutes } from '../../../../api/actions/routes.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { SCOPES, type Scope } from '../../../../domain/scopes.ts';
import { startTestApi, type CallResult } from '../../harness/test-api.ts';
import { checkEachReply } from '../../harness/reply-schemas.ts';
import { countsOf, importedBy, smallDocument } from './support.ts';

const api = await startTestApi({ routes: actionRoutes });
const full = (await api.createKey(api.database.tenants.development)).key;
checkEachReply(api);

const importing = (body: unknown, key = full, headers: Record<string, string> = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions/import', { key, body, headers });
const patch = (ref: string, body: unknown): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/actions/${ref}`, { key: full, body });
const read = async (ref: string): Promise<JsonObject> =>
  ((await api.call('GET', `/api/v2/actions/${ref}`, { key: full })).json as { data: JsonObject }).data;
const versionsOf = async (name: string): Promise<{ number: number; change_note: string }[]> =>
  api.database.asOwner(
    `SELECT v.number, v.change_note FROM action_versions v JOIN actions a ON a.id = v.action_id
     WHERE a.name = $1 AND a.archived_at IS NULL ORDER BY v.number`,
    [name],
  );
const issuesOf = (reply: CallResult): { path: string; message: string }[] =>
  (reply.json as { error: { details: { issues: { path: string; message: string }[] } } }).error.details.issues;

async function without(...scopes: Scope[]): Promise<string> {
  const held = SCOPES.filter((scope) => !scopes.includes(scope));
  return (await api.createKey(api.database.tenants.development, { scopes: held })).key;
}

/** The operation of the small document's nth path. */
function getIn(document: JsonObject, index: number): JsonObject {
  const operation = (document['paths'] as Record<string, { get: JsonObject }>)[`/things/${index}`]?.get;
  if (operation === undefined) throw new Error(`no path ${index}`);
  return operation;
}

const SECURED = {
  security: [{ token: [] }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};

describe('an import', () => {
  it('creates, then finds nothing to do, then updates what the document changed', async () => {
    const document = smallDocument('first');
    const created = importedBy(await importing({ document, namePrefix: 'p.' }));
    expect(created).toEqual([
      { operationId: 'first.get-0', name: 'p.first.get-0', status: 'created', governed: false },
      { operationId: 'first.get-1', name: 'p.first.get-1', status: 'created', governed: false },
    ]);
    expect(await read('p.first.get-0')).toMatchObject({
      description: 'Get it',
      adapter: {
        type: 'http.request',
        version: '1',
        config: { method: 'GET', url: 'https://api.example.com/things/0' },
      },
      governed: false,
      currentVersion: { number: 1 },
    });
    expect(countsOf(importedBy(await importing({ document, namePrefix: 'p.' })))).toEqual({ unchanged: 2 });
    expect(countsOf(importedBy(await importing({ document: JSON.stringify(document), namePrefix: 'p.' })))).toEqual({
      unchanged: 2,
    });

    const changed = structuredClone(document);
    getIn(changed, 1)['parameters'] = [{ name: 'q', in: 'query', schema: { type: 'string' } }];
    getIn(changed, 0)['summary'] = 'Get that';
    expect(countsOf(importedBy(await importing({ document: changed, namePrefix: 'p.' })))).toEqual({ updated: 2 });
    expect(await versionsOf('p.first.get-0')).toHaveLength(1);
    expect(await versionsOf('p.first.get-1')).toEqual([
      { number: 1, change_note: 'Imported from first: first.get-1' },
      { number: 2, change_note: 'Imported from first: first.get-1' },
    ]);
    expect(await read('p.first.get-0')).toMatchObject({ description: 'Get that' });
  });

  it('says what it would do with dryRun, and keeps nothing', async () => {
    const document = smallDocument('planned');
    const plan = importedBy(await importing({ document, namePrefix: 'd.', dryRun: true }));
    expect(plan.map(({ name, status }) => [name, status])).toEqual([
      ['d.planned.get-0', 'created'],
      ['d.planned.get-1', 'created'],
    ]);
    expect(await versionsOf('d.planned.get-0')).toEqual([]);
    const audited = () =>
      api.database.asOwner(
        `SELECT id FROM audit_log WHERE action = 'actions.imported' AND details->>'title' = 'planned'`,
      );
    expect(await audited()).toEqual([]);
    expect(importedBy(await importing({ document, namePrefix: 'd.' }))).toEqual(plan);
    expect(await versionsOf('d.planned.get-0')).toHaveLength(1);
    getIn(document, 0)['summary'] = 'Get it now';
    const change = importedBy(await importing({ document, namePrefix: 'd.', dryRun: true }));
    expect(countsOf(change)).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await read('d.planned.get-0')).toMatchObject({ description: 'Get it' });
  });

  it('keeps what the document does not say: governance, time-out, output schema', async () => {
    const document = smallDocument('kept', 1);
    importedBy(await importing({ document }));
    const own = {
      governed: true,
      approval: { required: true, tag: 'ops' },
      timeoutMs: 5_000,
      outputSchema: { type: 'object' },
    };
    expect((await patch('kept.get-0', own)).status).toBe(200);
    // The digest differs from the document's own now, but there is nothing to change.
    expect(countsOf(importedBy(await importing({ document })))).toEqual({ unchanged: 1 });
    const moved = { ...document, servers: [{ url: 'https://eu.example.com' }] };
    expect(countsOf(importedBy(await importing({ document: moved }, await without('actions:govern'))))).toEqual({
      updated: 1,
    });
    expect(await read('kept.get-0')).toMatchObject({
      ...own,
      adapter: { config: { url: 'https://eu.example.com/things/0' } },
      currentVersion: { number: 3 },
    });
  });

  it('403: an update that takes away the adapter, or a bound, that a governor gave', async () => {
    const document = smallDocument('bounded', 2);
    importedBy(await importing({ document }));
    const { adapter } = await read('bounded.get-0');
    const { config } = adapter as { config: JsonObject };
    const bounded = { type: 'http.request', config: { ...config, allowedHosts: ['api.example.com'] } };
    expect((await patch('bounded.get-0', { adapter: bounded, governed: true })).status).toBe(200);
    const stripe = { type: 'stripe.refund', config: { mode: 'test', secret: 'STRIPE' } };
    expect((await patch('bounded.get-1', { adapter: stripe })).status).toBe(200);
    for (const [operation, member] of [
      ['bounded.get-0', 'adapter.config.allowedHosts'],
      ['bounded.get-1', 'adapter.type'],
    ]) {
      const only = { document, operations: [operation] };
      const refused = await importing(only, await without('actions:govern'));
      expect(refused.status, refused.text).toBe(403);
      expect(refused.text).toContain(`Changing ${member} of the action ${operation} needs the scope actions:govern`);
      expect(await read(operation as string)).toMatchObject({ currentVersion: { number: 2 } });
      expect(countsOf(importedBy(await importing(only)))).toEqual({ updated: 1 });
    }
  });

  it('never touches an action that this document did not make', async () => {
    const config = { method: 'GET', url: 'https://mine.example.com' };
    const mine = { name: 'foreign.get-0', adapter: { type: 'http.request', config } };
    expect((await api.call('POST', '/api/v2/actions', { key: full, body: mine })).status).toBe(201);
    importedBy(await importing({ document: smallDocument('other'), namePrefix: 'o.' }));
    const [first, second] = importedBy(await importing({ document: smallDocument('foreign') }));
    expect(first).toMatchObject({ status: 'skipped', reason: expect.stringContaining('did not make') as string });
    expect(second?.status).toBe('created');
    expect(await read('foreign.get-0')).toMatchObject({ adapter: { config }, currentVersion: { number: 1 } });
    const sameIds = { ...smallDocument('other'), info: { title: 'Another API', version: '1' } };
    expect(countsOf(importedBy(await importing({ document: sameIds, namePrefix: 'o.' })))).toEqual({ skipped: 2 });
  });

  it('takes only the operations that are named', async () => {
    const document = smallDocument('some', 3);
    expect(importedBy(await importing({ document, operations: ['some.get-1'] }))).toMatchObject([
      { name: 'some.get-1' },
    ]);
    const unknown = await importing({ document, operations: ['some.get-1', 'nope'] });
    expect([unknown.status, issuesOf(unknown)[0]?.path]).toEqual([400, 'body.operations[1]']);
  });

  it('is written down with its counts, and stored under its Idempotency-Key however the JSON is written', async () => {
    const document = smallDocument('audited');
    const headers = { 'Idempotency-Key': 'import-1' };
    const first = await importing({ document, namePrefix: 'a.' }, full, headers);
    const again = await importing({ namePrefix: 'a.', document }, full, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('X-Idempotent-Replay')).toBe('true');
    expect((await importing({ document }, full, headers)).status).toBe(409);
    const entries = await api.database.asOwner<{ details: JsonObject; target_type: string }>(
      `SELECT details, target_type FROM audit_log WHERE action = 'actions.imported' AND details->>'title' = 'audited'`,
    );
    expect(entries).toEqual([
      { target_type: 'environment', details: { title: 'audited', created: 2, updated: 0, unchanged: 0, skipped: 0 } },
    ]);
  });

  it('and another at the same time make each action once', async () => {
    const document = smallDocument('twins', 5);
    const replies = await Promise.all([importing({ document }), importing({ document }), importing({ document })]);
    const counts = replies.map((reply) => countsOf(importedBy(reply)));
    expect(counts.toSorted((a, b) => (b['created'] ?? 0) - (a['created'] ?? 0))).toEqual([
      { created: 5 },
      { unchanged: 5 },
      { unchanged: 5 },
    ]);
  });
});

describe('a slow upload', () => {
  const PATH = '/api/v2/actions/import';

  /** Requests whose body never ends, repeated until one is let in: the check of the slot may hold it when the first one comes. */
  function slowUpload(baseUrl: string, key: string): { destroy(): void } {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '1000' };
    let upload: ClientRequest;
    const begin = (): void => {
      upload = request(`${baseUrl}${PATH}`, { method: 'POST', headers });
      upload.on('error', () => undefined); // it is aborted below
      upload.on('response', (refused) => refused.resume().once('end', begin));
      upload.write('{"document":');
    };
    begin();
    return { destroy: () => void upload.destroy() };
  }

  it('takes nothing from another workspace, and its own place comes back when it ends', async () => {
    const imports = { uploadsAWorkspaceMax: 1, waitingMax: 0 };
    const other = await startTestApi({ routes: actionRoutes, database: api.database, imports });
    try {
      const status = async (key: string): Promise<number> => (await other.call('POST', PATH, { key, body: {} })).status;
      const neighbour = await other.createKey((await other.database.anotherWorkspace()).development);
      const upload = slowUpload(other.baseUrl, full);
      await expect.poll(() => status(full)).toBe(503);
      expect(await status(neighbour.key)).toBe(400);
      upload.destroy();
      await expect.poll(() => status(full)).toBe(400);
    } finally {
      await other.close();
    }
  });

  it('is refused where the bodies that have arrived are as much as the process may hold', async () => {
    const other = await startTestApi({
      routes: actionRoutes,
      database: api.database,
      imports: { uploadBytesMax: 10_000 },
    });
    try {
      const bodyOf = (characters: number) => ({ key: full, body: { document: 'x'.repeat(characters) } });
      expect((await other.call('POST', PATH, bodyOf(20_000))).status).toBe(503);
      // Its memory allowance was released.
      for (let again = 0; again < 3; again++) expect((await other.call('POST', PATH, bodyOf(8_000))).status).toBe(400);
    } finally {
      await other.close();
    }
  });
});

describe('what may be imported', () => {
  it('is nothing without actions:write, and no reference to a secret without a scope for secrets', async () => {
    const document = smallDocument('secured', 3, SECURED);
    expect((await importing({ document }, await without('actions:write'))).status).toBe(403);
    const refused = await importing({ document }, await without('secrets:read', 'secrets:write'));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('api.example.com.token');
    expect(await versionsOf('secured.get-0')).toEqual([]);
    expect(countsOf(importedBy(await importing({ document }, await without('secrets:read'))))).toEqual({ created: 3 });
    // Unchanged actions add no new references.
    const plain = await without('secrets:read', 'secrets:write');
    expect(countsOf(importedBy(await importing({ document }, plain)))).toEqual({ unchanged: 3 });
  });

  it('is all or nothing', async () => {
    const document = smallDocument('whole', 250);
    getIn(document, 249)['security'] = [{ token: [] }];
    document['components'] = SECURED.components;
    const refused = await importing({ document }, await without('secrets:read', 'secrets:write'));
    expect(refused.status).toBe(403);
    const [row] = await api.database.asOwner<{ count: string }>(
      `SELECT count(*) FROM actions WHERE name LIKE 'whole.%'`,
    );
    expect(row?.count).toBe('0');
    expect(countsOf(importedBy(await importing({ document })))).toEqual({ created: 250 });
  });

  it.each([
    ['neither document nor url', {}, 'body'],
    ['both', { document: {}, url: 'https://x.example' }, 'body'],
    ['a name that cannot begin one', { document: {}, namePrefix: 'A' }, 'body.namePrefix'],
    ['an unknown member', { document: {}, nope: 1 }, 'body.nope'],
    ['something else', { document: { a: 1 } }, 'body.document'],
    ['no URL at all', { url: 'x.example/openapi.json' }, 'body.url'],
    ['another protocol', { url: 'file:///etc/hosts' }, 'body.url'],
    ['a URL with credentials', { url: 'https://me:secret@x.example/openapi.json' }, 'body.url'],
  ])('is not %s', async (_what, body, path) => {
    const reply = await importing(body);
    expect([reply.status, issuesOf(reply)[0]?.path]).toEqual([400, path]);
  });

  it('is told everything that is wrong with the query and the body at once', async () => {
    const document = smallDocument('query');
    const importingWith = (query: string, body: unknown, key = full): Promise<CallResult> =>
      api.call('POST', `/api/v2/actions/import?${query}`, { key, body });
    const reply = await importingWith('x=1', { y: 1, document });
    expect([reply.status, issuesOf(reply).map(({ path }) => path)]).toEqual([400, ['query.x', 'body.y']]);
    const inQuery = await importingWith('x=1', { document });
    expect([inQuery.status, issuesOf(inQuery).map(({ path }) => path)]).toEqual([400, ['query.x']]);
    expect(await versionsOf('query.get-0')).toEqual([]);
    expect((await importingWith('x=1', { y: 1 }, await without('actions:write'))).status).toBe(403);
    expect((await importingWith('x=1', { y: 1 }, 'service_live_unknown')).status).toBe(401);
    expect((await importingWith('x=1', 'x'.repeat(IMPORT_BODY_BYTES_MAX))).status).toBe(413);
  });

  it('may hold integers beyond 2^53 as bounds', async () => {
    const [head, tail] = JSON.stringify({ document: smallDocument('large-numbers', 1, { 'x-max': 'MAX' }) }).split(
      '"MAX"',
    );
    const raw = `${head}18446744073709551615${tail}`;
    const reply = await api.call('POST', '/api/v2/actions/import', { key: full, raw });
    expect(countsOf(importedBy(reply))).toEqual({ created: 1 });
  });
});
