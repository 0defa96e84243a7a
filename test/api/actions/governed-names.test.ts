import { describe, expect, test } from 'vitest';
import { actionRoutes } from '../../../api/actions/routes.ts';
import { archiveAction } from '../../../db/actions/changes.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';
import { countRows } from '../harness/count-rows.ts';

/** A key without `actions:govern` must not replace a governed action, or one that requires approval, with its own. */

const api = await startTestApi({ routes: actionRoutes });
const { development } = api.database.tenants;
const governor = (await api.createKey(development, { scopes: SCOPES })).key;
const scopes = SCOPES.filter((scope) => scope !== 'actions:govern');
const writer = (await api.createKey(development, { scopes })).key;
checkEachReply(api);

const ADAPTER = { type: 'http.request', config: { method: 'POST', url: 'https://api.example.com/refunds' } };
const IMPACT = [{ dimension: 'refunds', amount: { const: 1 }, bound: 'exact' }];

let count = 0;
const unusedName = (): string => `guarded.number-${++count}`;

const create = (key: string, name: string, more: Record<string, unknown> = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions', {
    key,
    body: { name, adapter: ADAPTER, inputSchema: { type: 'object' }, ...more },
  });
const rename = (key: string, ref: string, name: string, more: Record<string, unknown> = {}): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/actions/${ref}`, { key, body: { name, ...more } });
const archive = (key: string, ref: string): Promise<CallResult> =>
  api.call('DELETE', `/api/v2/actions/${ref}`, { key });
const importing = (key: string, name: string): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions/import', { key, body: { document: documentOf(name) } });

/** Its one operation becomes the action of that name. */
const documentOf = (name: string) => ({
  openapi: '3.1.0',
  info: { title: `Document of ${name}`, version: '1' },
  servers: [{ url: 'https://evil.example.com' }],
  paths: { '/refunds': { post: { operationId: name, responses: { 200: { description: 'ok' } } } } },
});

async function made(name: string, more: Record<string, unknown> = {}): Promise<string> {
  const reply = await create(governor, name, more);
  expect(reply.status, reply.text).toBe(201);
  return (reply.json as { data: { id: string } }).data.id;
}

function expectNeedsGovern(reply: CallResult): void {
  expect(reply.status, reply.text).toBe(403);
  expect(reply.json).toMatchObject({
    error: { code: 'AUTHORIZATION_ERROR', message: expect.stringContaining('actions:govern') },
  });
}

/** The number of live actions with this name. */
const bearersOf = (name: string): Promise<number> =>
  countRows(api.database, 'actions WHERE name = $1 AND archived_at IS NULL', [name]);

const GUARDED: [string, Record<string, unknown>][] = [
  ['is governed', { governed: true }],
  ['declares an impact', { impact: IMPACT }],
  ['requires approval', { approval: { required: true } }],
];

describe.each(GUARDED)('the name of an action that %s', (_what, definition) => {
  test('is not free for a writer once it is archived: not by creating, renaming or importing', async () => {
    const name = unusedName();
    await made(name, definition);
    expect((await archive(writer, name)).status).toBe(200);
    expectNeedsGovern(await create(writer, name));
    expectNeedsGovern(await create(writer, name, definition));
    const mine = unusedName();
    await made(mine);
    expectNeedsGovern(await rename(writer, mine, name));
    expectNeedsGovern(await importing(writer, name));
    expect(await bearersOf(name)).toBe(0);
    expect(await bearersOf(mine)).toBe(1);
  });

  test('is free for who governs; released so, it is free for anybody after a plain action had it', async () => {
    const name = unusedName();
    await made(name, definition);
    await archive(writer, name);
    await made(name);
    await archive(writer, name);
    expect((await create(writer, name)).status).toBe(201);
  });

  test('is not renamed away by a writer, nor left free by who governs', async () => {
    const name = unusedName();
    const id = await made(name, definition);
    expectNeedsGovern(await rename(writer, name, unusedName()));
    expectNeedsGovern(await rename(writer, id, unusedName(), { governed: false, impact: [] }));
    expect((await rename(governor, id, unusedName())).status).toBe(200);
    expectNeedsGovern(await create(writer, name));
    expect((await rename(governor, id, name)).status).toBe(200);
  });
});

test('an action that is ungoverned and renamed in one change leaves its name governed', async () => {
  const name = unusedName();
  const id = await made(name, { governed: true });
  expect((await rename(governor, id, unusedName(), { governed: false })).status).toBe(200);
  expectNeedsGovern(await create(writer, name));
});

test('an action that a governor has ungoverned before leaves a free name', async () => {
  const name = unusedName();
  const id = await made(name, { governed: true });
  await api.call('PATCH', `/api/v2/actions/${id}`, { key: governor, body: { governed: false } });
  await archive(writer, name);
  expect((await create(writer, name)).status).toBe(201);
});

test('a plain name stays free, and an unchanged name takes no scope', async () => {
  const [name, next] = [unusedName(), unusedName()];
  await made(name);
  expect((await rename(writer, name, next)).status).toBe(200);
  expect((await create(writer, name)).status).toBe(201);
  const governed = unusedName();
  await made(governed, { governed: true });
  expect((await rename(writer, governed, governed, { description: 'the same' })).status).toBe(200);
});

test('a name in another environment is another name', async () => {
  const name = unusedName();
  await made(name, { governed: true });
  await archive(writer, name);
  const scopes = SCOPES.filter((scope) => scope !== 'actions:govern');
  const { key } = await api.createKey(api.database.tenants.staging, { scopes });
  expect((await create(key, name)).status).toBe(201);
});

describe('at once with its archiving', () => {
  test.each([
    ['created', create],
    ['imported', importing],
  ] as const)('%s by a writer: it waits for the archiving, and is refused', async (_how, take) => {
    const name = unusedName();
    await made(name, { governed: true });
    let taking: Promise<CallResult> | undefined;
    await api.database.db.withEnvironment(api.database.tenants.development, async (tx) => {
      await archiveAction(tx, name);
      taking = take(writer, name);
      await untilSomebodyWaits();
    });
    expectNeedsGovern((await taking) as CallResult);
    expect(await bearersOf(name)).toBe(0);
  });

  test('twenty archive and create by turns: no writer ever gets it', async () => {
    const name = unusedName();
    await made(name, { governed: true });
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? archive(writer, name) : create(writer, name),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toEqual([]);
    expect(await bearersOf(name)).toBe(0);
  });
});

async function untilSomebodyWaits(): Promise<void> {
  const waiting = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(() => countRows(api.database, waiting)).toBeGreaterThan(0);
}

test('the database refuses to commit an action with a governed name that was not released', async () => {
  const name = unusedName();
  const id = await made(name, { governed: true });
  const other = await made(unusedName());
  await archive(writer, id);
  const renamed = api.database.db.withEnvironment(api.database.tenants.development, (tx) =>
    tx.raw(null, 'UPDATE actions SET name = ? WHERE id = ?', [name, other]),
  );
  await expect(renamed).rejects.toThrow(/was governed and is not released/);
});
