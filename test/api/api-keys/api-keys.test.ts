import { describe, expect, it } from 'vitest';
import { DEFAULT_KEY_SCOPES, PRESET_SCOPES, SCOPES, type Scope } from '../../../domain/scopes.ts';
import { createPerson, personOf } from '../harness/people.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { countRows } from '../harness/count-rows.ts';

const IDENTITY = '/api/v2/auth/identity';
const EARLIER = /^(messages|schedules|queues|workflows|logs|dlq|flow-control|url-groups|memory|feedback):/;
/** Written out on purpose: taking a scope off this list grants it to every key that names none. */
const PRIVILEGED: Scope[] = [
  'secrets:read',
  'secrets:write',
  'approvals:decide',
  'budgets:read',
  'budgets:write',
  'integrations:read',
  'integrations:write',
  'notifications:manage',
  'actions:govern',
  'actions:resolve',
  'policies:read',
  'policies:write',
  'environments:halt',
  'messages:ingest',
  'impact-limits:write',
];

const api = await startTestApi();
const other = await startTestApi({ database: api.database });
const admin = await createPerson(api, 'admin');
const member = await createPerson(api, 'member');
const { environmentId } = api.database.tenant;
const path = `/api/v2/workspaces/${api.database.tenant.workspaceId}/api-keys`;

const create = (body: Record<string, unknown>, by = admin): Promise<CallResult> =>
  by.call('POST', path, { body: { name: 'made', environmentId, ...body } });
const created = async (body: Record<string, unknown> = {}): Promise<{ id: string; key: string }> =>
  ((await create(body)).json as { data: { id: string; key: string } }).data;
const identityOf = async (key: string): Promise<{ scopes: Scope[]; preset: string | null }> =>
  ((await api.call('GET', IDENTITY, { key })).json as { data: { scopes: Scope[]; preset: string | null } }).data;
const scopesOf = async (key: string): Promise<Scope[]> => (await identityOf(key)).scopes;
const countKeys = () => countRows(api.database, 'api_keys');

describe('POST api-keys', () => {
  it('201: the record and the key, once', async () => {
    const reply = await create({ name: ' spaced ', expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect([reply.status, reply.json]).toEqual([
      201,
      {
        success: true,
        data: {
          id: expect.stringMatching(/^key_/),
          name: 'spaced',
          keyPrefix: expect.stringMatching(/^service_live_.{5}$/),
          isActive: true,
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
          lastUsedAt: null,
          createdBy: admin.userId,
          key: expect.stringMatching(/^service_live_[0-9A-Za-z]{32}$/),
        },
      },
    ]);
    const { key, id } = (reply.json as { data: { key: string; id: string } }).data;
    expect((await member.call('GET', `${path}?limit=100`)).text).not.toContain(key.slice(18));
    const rows = await api.database.asOwner<{ row: string }>(
      `SELECT to_jsonb(k)::text AS row FROM api_keys k WHERE id = $1 UNION ALL SELECT to_jsonb(a)::text FROM audit_log a WHERE target_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(2);
    expect(rows.some(({ row }) => row.includes(key.slice(18)))).toBe(false);
    expect(api.logLines.some((line) => line.includes(key.slice(18)))).toBe(false);
    expect(api.replyViolations).toEqual([]);
  });

  it('may expire at the end of the year 9999, which is the last one of RFC 3339', async () => {
    const reply = await create({ expiresAt: '9999-12-31T23:59:59Z' });
    expect([reply.status, reply.json]).toMatchObject([201, { data: { expiresAt: '9999-12-31T23:59:59.000Z' } }]);
  });

  it.each(['standard', 'read_only', 'full_access', 'agent'] as const)(
    '%s grants what it says, and no earlier namespace',
    async (preset) => {
      const scopes = await scopesOf((await created({ preset })).key);
      expect(scopes).toEqual([...PRESET_SCOPES[preset]].sort());
      expect(scopes.filter((scope) => EARLIER.test(scope))).toEqual([]);
      const current = SCOPES.filter((scope) => !EARLIER.test(scope));
      const expected = {
        standard: current.filter((scope) => !PRIVILEGED.includes(scope)),
        read_only: current.filter((scope) => scope.endsWith(':read')),
        full_access: current.filter((scope) => !scope.startsWith('integrations:')),
        agent:
          'actions:invoke actions:read approvals:read cache:read cache:write context:read events:write files:read files:write runs:read runs:write sessions:read sessions:write'.split(
            ' ',
          ) as Scope[],
      };
      expect(scopes).toEqual(expected[preset].toSorted());
    },
  );

  it('with neither scopes nor preset grants all that is not privileged, earlier namespaces too', async () => {
    const scopes = await scopesOf((await created()).key);
    expect(scopes).toEqual([...DEFAULT_KEY_SCOPES].sort());
    expect(scopes).toEqual(SCOPES.filter((scope) => !PRIVILEGED.includes(scope)).toSorted());
  });

  it('grants the scopes that are named, privileged ones too, and no other', async () => {
    const { key } = await created({ scopes: ['secrets:read', 'messages:ingest', 'secrets:read'] });
    expect(await scopesOf(key)).toEqual(['messages:ingest', 'secrets:read']);
  });

  it('adds the scopes that are named beside a preset to what it grants', async () => {
    const { key } = await created({ preset: 'agent', scopes: ['memory:read', 'memory:write', 'actions:read'] });
    expect(await scopesOf(key)).toEqual([...PRESET_SCOPES.agent, 'memory:read', 'memory:write'].sort());
    expect(await identityOf(key)).toMatchObject({ preset: 'agent' });
  });

  it.each([
    ['a moment in year 10000', { expiresAt: '9999-12-31T23:59:59-23:59' }, 'body.expiresAt'],
    ['a moment that is past', { expiresAt: new Date(Date.now() - 1_000).toISOString() }, 'body.expiresAt'],
    ['an unknown scope', { scopes: ['actions:fly'] }, 'body.scopes[0]'],
    ['no scope at all', { scopes: [] }, 'body.scopes'],
    ['an unknown preset', { preset: 'root' }, 'body.preset'],
    ['an empty name', { name: ' ' }, 'body.name'],
    ['an unknown field', { role: 'admin' }, 'body.role'],
  ])('400 for %s, and no key is made', async (_what, body, issue) => {
    const before = await countKeys();
    const reply = await create(body);
    expect([reply.status, reply.json]).toMatchObject([400, { error: { details: { issues: [{ path: issue }] } } }]);
    expect(await countKeys()).toBe(before);
  });

  it("404 for another workspace's environment; 403 for a member", async () => {
    const before = await countKeys();
    const { development } = await api.database.anotherWorkspace();
    expect((await create({ environmentId: development.environmentId })).status).toBe(404);
    expect((await create({}, member)).status).toBe(403);
    expect(await countKeys()).toBe(before);
  });
});

describe('GET api-keys', () => {
  it('200: every environment of the workspace, newest first, and of no other', async () => {
    const { development } = await api.database.anotherWorkspace();
    await api.createKey(development);
    const made = [await created(), await created({ environmentId: api.database.tenants.production.environmentId })];
    const reply = await member.call('GET', `${path}?limit=2`);
    expect((reply.json as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(
      made.map(({ id }) => id).toReversed(),
    );
    const { workspaceId } = api.database.tenant;
    const total = await countRows(api.database, 'api_keys WHERE workspace_id = $1', [workspaceId]);
    expect(reply.json).toMatchObject({ pagination: { total } });
  });
});

describe('DELETE api-keys', () => {
  it('200: refused on the very next request at both processes, for good; listed as not active; once in the audit log', async () => {
    const { id, key } = await created();
    for (const process of [api, other]) expect((await process.call('GET', IDENTITY, { key })).status).toBe(200);
    const elsewhere = personOf(other, admin);
    const reply = await elsewhere.call('DELETE', `${path}/${id}`);
    expect([reply.status, reply.json]).toEqual([200, { success: true, data: { deleted: true } }]);
    for (const process of [api, other]) expect((await process.call('GET', IDENTITY, { key })).status).toBe(401);
    expect((await admin.call('DELETE', `${path}/${id}`)).status).toBe(200);
    const listed = (await admin.call('GET', `${path}?limit=100`)).json as { data: { id: string; isActive: boolean }[] };
    expect(listed.data.find((one) => one.id === id)).toMatchObject({ isActive: false });
    const log = await api.database.asOwner(
      "SELECT actor_id FROM audit_log WHERE target_id = $1 AND action = 'api_key.deleted'",
      [id],
    );
    expect(log).toEqual([{ actor_id: admin.userId }]);
    await expect(api.database.asOwner('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', [id])).rejects.toThrow(
      /restored/,
    );
  });
});
