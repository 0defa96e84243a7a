import { describe, expect, it } from 'vitest';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { plantInvocationRows } from './support.ts';
import { countRows } from '../harness/count-rows.ts';

const IDENTITY = '/api/v2/auth/identity';

const api = await startTestApi({ publicOrigins: ['https://console.example.com'] });
const member = await createPerson(api, 'member');
const admin = await createPerson(api, 'admin');
const { workspaceId } = (await api.database.anotherWorkspace()).development;
const stranger = await createPerson(api, 'owner', { workspaceId });
const environmentId = api.database.tenant.environmentId;
const membersPath = `/api/v2/workspaces/${api.database.tenant.workspaceId}/members`;

const errorOf = (reply: CallResult): { code: string; message: string } =>
  (reply.json as { error: { code: string; message: string } }).error;

describe('a mutation by session cookie', () => {
  const invite = (headers: Record<string, string | undefined>): Promise<CallResult> => {
    const given = Object.entries({ ...admin.headers, ...headers }).filter(([, value]) => value !== undefined);
    const body = { email: `${Math.random()}@example.test`, role: 'member' };
    return api.call('POST', membersPath, { body, headers: Object.fromEntries(given) as Record<string, string> });
  };
  const countInvitations = () => countRows(api.database, 'invitations');

  it.each([
    ['no Origin', { Origin: undefined }, /Origin header is missing/],
    ["another site's Origin", { Origin: 'https://evil.example' }, /Origin header names another site/],
    ['the Origin of nobody', { Origin: 'null' }, /Origin header names another site/],
    ['another port of this host', { Origin: 'http://127.0.0.1:1' }, /Origin header names another site/],
    ['an Origin that only begins like ours', { Origin: 'https://console.example.com.evil.example' }, /another site/],
    ['no X-CSRF-Token', { 'X-CSRF-Token': undefined }, /X-CSRF-Token header is missing/],
    ['a wrong X-CSRF-Token', { 'X-CSRF-Token': 'x' }, /X-CSRF-Token is not the one of this session/],
  ])('403 with %s, and nothing is changed', async (_what, headers, message) => {
    const before = await countInvitations();
    const reply = await invite(headers);
    expect([reply.status, errorOf(reply)]).toEqual([
      403,
      { code: 'AUTHORIZATION_ERROR', message: expect.stringMatching(message) },
    ]);
    expect(await countInvitations()).toBe(before);
  });

  it("403 with the X-CSRF-Token of another session, also the same user's", async () => {
    expect((await invite({ 'X-CSRF-Token': member.csrfToken })).status).toBe(403);
  });

  it.each([
    ['the host that was asked', {}],
    ['a configured origin', { Origin: 'https://console.example.com' }],
  ])('passes from %s', async (_what, headers) => {
    expect((await invite(headers)).status).toBe(201);
  });

  it('needs neither to read; a key needs neither to change', async () => {
    expect((await api.call('GET', membersPath, { headers: { Cookie: admin.headers['Cookie'] ?? '' } })).status).toBe(
      200,
    );
    const { key } = await api.createKey(api.database.tenant);
    const body = { value: 'v' };
    expect(
      (await api.call('PUT', '/api/v2/secrets/S', { key, body, headers: { Origin: 'https://evil.example' } })).status,
    ).toBe(201);
  });
});

describe('a session on a route of an environment', () => {
  const list = (person: TestPerson, headers: Record<string, string>): Promise<CallResult> =>
    person.call('GET', '/api/v2/actions', { headers });

  it('200 where it names the environment; 400 where it names none', async () => {
    expect((await list(member, { 'X-Environment-Id': environmentId.toUpperCase() })).status).toBe(200);
    for (const headers of [{}, { 'X-Environment-Id': 'x' }] as Record<string, string>[]) {
      const reply = await list(member, headers);
      expect([reply.status, reply.json]).toMatchObject([
        400,
        { error: { details: { issues: [{ path: 'headers.X-Environment-Id' }] } } },
      ]);
    }
  });

  it('404 for an environment that is not of a workspace of the user, as for none', async () => {
    for (const id of [environmentId, '00000000-0000-4000-8000-000000000000']) {
      const reply = await list(stranger, { 'X-Environment-Id': id });
      expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('returns 403 for every role when the route names no role: a session satisfies no scope', async () => {
    const owner = await createPerson(api, 'owner');
    for (const headers of [{}, { 'X-Environment-Id': environmentId }] as Record<string, string>[]) {
      const reply = await owner.call('POST', '/api/v2/cache/lookup', { headers, body: {} });
      expect([reply.status, errorOf(reply).message]).toEqual([403, expect.stringContaining('cache:read')]);
    }
  });

  it('notes on effects: 201 for an admin, by whom it is recorded; 403 for a member', async () => {
    const effectId = await plantInvocationRows(api);
    const note = (person: TestPerson): Promise<CallResult> =>
      person.call('POST', `/api/v2/actions/effects/${effectId}/notes`, {
        body: { note: 'looked into it' },
        headers: { 'X-Environment-Id': environmentId },
      });
    const refused = await note(member);
    expect([refused.status, errorOf(refused).message]).toEqual([
      403,
      expect.stringMatching(/role admin.*yours is member/),
    ]);
    expect((await note(admin)).status).toBe(201);
    const rows = await api.database.asOwner('SELECT actor_type, actor_id FROM evidence WHERE effect_id = $1', [
      effectId,
    ]);
    expect(rows).toEqual([{ actor_type: 'user', actor_id: admin.userId }]);
  });

  it('uses the Authorization header and ignores the cookie when a request has both', async () => {
    const reply = await member.call('GET', IDENTITY, { headers: { Authorization: 'Bearer nonsense' } });
    expect(reply.status).toBe(401);
  });
});

describe('GET /auth/identity of a session', () => {
  it('tells the user, and the environment only where one is named', async () => {
    const bare = await member.call('GET', IDENTITY);
    const common = { type: 'session', keyId: null, userId: member.userId, scopes: [], preset: null };
    expect(bare.json).toMatchObject({ data: { ...common, workspaceId: null, environment: null } });
    const named = await member.call('GET', IDENTITY, { headers: { 'X-Environment-Id': environmentId } });
    expect(named.json).toMatchObject({
      data: { ...common, workspaceId: api.database.tenant.workspaceId, environment: { id: environmentId } },
    });
    expect(api.replyViolations).toEqual([]);
  });
});
