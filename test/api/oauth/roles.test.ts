import { describe, expect, it, test } from 'vitest';
import { ROUTES } from '../../../api/routes.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { OFFERED_SCOPES, SCOPE_GROUPS } from '../../../domain/oauth/offered-scopes.ts';
import type { Role } from '../../../domain/roles.ts';
import { leastRoleOf, PRESET_SCOPES } from '../../../domain/scopes.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { type Answer, decoded, hiddenFields, Visitor } from '../pages/support.ts';
import { sendSlowly } from '../suites/change-suites.ts';
import { messageOf } from '../suites/suite.ts';
import { pathOf } from '../suites/world.ts';
import {
  type App,
  beginAuthorization,
  checkedFields,
  clientIdOf,
  connect,
  findServer,
  mcpClient,
  nextOf,
  openConsent,
  type Tokens,
} from './support.ts';
import { askDuring } from '../harness/open-transaction.ts';

/** An app does no more than its user could: a member may not make an API key, and gets none of its power through an app. */
const GROUPS = SCOPE_GROUPS.map(({ name }) => name);
const api = await startTestApi();
api.deps.pagesUrl = api.baseUrl;
const { environmentId } = api.database.tenant;
const rest = await findServer(`${api.baseUrl}/api/v2/auth/identity`);

const setRole = (person: TestPerson, role: Role): Promise<unknown> =>
  api.database.asOwner('UPDATE members SET role = $1 WHERE user_id = $2', [role, person.userId]);
const putSecret = (tokens: Tokens, name: string): Promise<CallResult> =>
  api.call('PUT', `/api/v2/secrets/${name}`, { key: tokens.access, body: { value: 'a value' } });

/** An app with every scope that an app can have, whose user has this role now. */
async function connectedApp(role: Role, app: App = rest): Promise<{ person: TestPerson; tokens: Tokens }> {
  const person = await createPerson(api, 'admin');
  const scope = OFFERED_SCOPES.join(' ');
  const tokens = await connect(api, app, person, { environmentId, groups: GROUPS }, { scope });
  expect([...tokens.scopes].sort()).toEqual([...OFFERED_SCOPES].sort());
  await setRole(person, role);
  return { person, tokens };
}

async function written(person: TestPerson): Promise<{ grants: { scopes: string[] }[]; audited: JsonObject[] }> {
  const grants = await api.database.asOwner<{ scopes: string[] }>(
    'SELECT scopes FROM oauth_grants WHERE user_id = $1',
    [person.userId],
  );
  const audited = await api.database.asOwner<JsonObject>(
    `SELECT target_type, details, environment_id FROM audit_log WHERE action = 'app.connected' AND actor_id = $1`,
    [person.userId],
  );
  return { grants, audited };
}

describe('the consent of a member', () => {
  interface Opened {
    page: Answer;
    decide: (more?: Record<string, string>) => Promise<Answer>;
  }
  async function opened(person: TestPerson, scope: string): Promise<Opened> {
    const browser = new Visitor(api, { 'service-session': person.token });
    const { url } = await beginAuthorization(rest, { scope });
    const { path, page } = await openConsent(browser, url);
    const form = page.text.slice(page.text.lastIndexOf('<form'));
    const fields = { ...hiddenFields(form), ...checkedFields(form), environmentId, decision: 'allow' };
    return { page, decide: (more = {}) => browser.post(path, { ...fields, ...more }) };
  }

  it('offers nothing that needs an admin, says so, grants the rest and is audited, also with a forged form', async () => {
    const person = await createPerson(api, 'member');
    const { page, decide } = await opened(person, 'actions:read actions:write secrets:write');
    expect(checkedFields(page.text)).toEqual({ 'scope:actions:read': 'on' });
    expect(page.text).not.toContain('group:secrets');
    expect(decoded(page.text)).toMatch(
      /your role is member\. These need an admin, and are not granted to the app there: secrets:write actions:write/,
    );
    expect(nextOf(await decide({ 'scope:actions:write': 'on', 'group:secrets': 'on' }))).toContain('/oauth/authorize/');
    const details = {
      clientId: clientIdOf(rest),
      clientName: 'Test agent',
      resource: 'api',
      scopes: ['actions:read'],
    };
    expect(await written(person)).toEqual({
      grants: [{ scopes: ['actions:read'] }],
      audited: [{ target_type: 'connected_app', details, environment_id: environmentId }],
    });
  });

  it('is refused where nothing of what was asked is left', async () => {
    const person = await createPerson(api, 'member');
    const { decide } = await opened(person, 'actions:write secrets:write');
    const refused = await decide({ 'scope:actions:write': 'on', 'group:secrets': 'on' });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Your role in this workspace is member: what is chosen needs an admin.'),
    ]);
    expect(await written(person)).toEqual({ grants: [], audited: [] });
  });

  it('grants by the role in the workspace that is chosen, not by a higher one elsewhere', async () => {
    const person = await createPerson(api, 'member');
    const { workspaceId } = (await api.database.anotherWorkspace()).development;
    await api.database.asOwner(`INSERT INTO members (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`, [
      workspaceId,
      person.userId,
    ]);
    const { page, decide } = await opened(person, 'actions:read actions:write');
    expect(Object.keys(checkedFields(page.text))).toEqual(['scope:actions:read', 'scope:actions:write']);
    expect(nextOf(await decide())).toContain('/oauth/authorize/');
    expect((await written(person)).grants).toEqual([{ scopes: ['actions:read'] }]);
  });

  it.each([
    ['removed', 404, 'DELETE FROM members WHERE user_id = $1'],
    ['demoted', 403, `UPDATE members SET role = 'member' WHERE user_id = $1`],
  ])('who is %s before it commits writes nothing', async (_, status, sql) => {
    const person = await createPerson(api, 'admin');
    const { decide } = await opened(person, 'actions:write');
    expect((await askDuring(api.database, [sql, [person.userId]], () => decide())).status).toBe(status);
    expect(await written(person)).toEqual({ grants: [], audited: [] });
  });
});

describe('the app of an admin who is made a member', () => {
  it('loses on its next call what needs an admin, keeps the rest, and gets it back with the role', async () => {
    const { person, tokens } = await connectedApp('admin');
    expect((await putSecret(tokens, 'kept')).status).toBe(201);
    await setRole(person, 'member');
    const refused = await putSecret(tokens, 'refused');
    expect([refused.status, messageOf(refused)]).toEqual([
      403,
      `An app uses the scope secrets:write only for a user with the role admin in the workspace; its user's is member.`,
    ]);
    // Its user could not consent to more: a client must not ask them again.
    expect(refused.headers.get('WWW-Authenticate')).toBeNull();
    const invoked = await api.call('POST', '/api/v2/actions/missing/invoke', {
      key: tokens.access,
      body: { input: {} },
    });
    expect(invoked.status).toBe(404);
    const identity = (await api.call('GET', '/api/v2/auth/identity', { key: tokens.access })).json as {
      data: { scopes: string[] };
    };
    expect(identity.data.scopes).toEqual(
      OFFERED_SCOPES.filter((scope) => leastRoleOf(scope) === 'member').toSorted((a, b) => (a < b ? -1 : 1)),
    );
    await setRole(person, 'owner');
    expect((await putSecret(tokens, 'again')).status).toBe(201);
  });

  it('changes nothing where the role changes before the commit', async () => {
    const { person, tokens } = await connectedApp('admin');
    await api.database.asOwner('UPDATE oauth_grants SET last_used_at = NULL WHERE user_id = $1', [person.userId]);
    const looked = 'SELECT FROM oauth_grants WHERE user_id = $1 AND last_used_at IS NOT NULL';
    const reply = await sendSlowly(
      `${api.baseUrl}/api/v2/secrets/slow`,
      'PUT',
      { headers: { Authorization: `Bearer ${tokens.access}` }, body: { value: 'a value' } },
      async () => {
        await expect.poll(async () => (await api.database.asOwner(looked, [person.userId])).length).toBe(1);
        await setRole(person, 'member');
      },
    );
    expect([reply.status, messageOf(reply)]).toEqual([403, expect.stringContaining('the role admin')]);
    expect(await api.database.asOwner(`SELECT FROM secrets WHERE name = 'slow'`)).toEqual([]);
  });

  it('is refused by every route whose scope needs an admin', async () => {
    const { tokens } = await connectedApp('member');
    const above = ROUTES.flatMap((route) =>
      route.scope === null || leastRoleOf(route.scope) === 'member' ? [] : [{ route, scope: route.scope }],
    );
    expect(above.length).toBeGreaterThan(50);
    const params = { workspaceId: api.database.tenant.workspaceId, environmentId };
    const passed: string[] = [];
    for (const { route, scope } of above) {
      const reply = await api.call(route.method, pathOf(route, { params }), { key: tokens.access });
      const why = OFFERED_SCOPES.includes(scope) ? `${scope} only for a user with the role admin` : 'No app gets';
      if (reply.status !== 403 || !messageOf(reply).includes(why)) passed.push(`${route.id}: ${reply.text}`);
    }
    expect(passed).toEqual([]);
  });
});

test("a member's app does for its agent what takes an admin's session: previews, and its own files and cache", async () => {
  const { person, tokens } = await connectedApp('member');
  const params = { ref: 'missing', id: 'prv_missing', fileId: 'fil_missing', entryId: 'missing' };
  const agents = ROUTES.filter((route) => route.of === 'environment' && route.appRole === 'member');
  expect(agents.map(({ id }) => id).toSorted()).toEqual([
    'cache.delete',
    'cache.flush',
    'files.delete',
    'files.download',
    'previews.create',
    'previews.refresh',
  ]);
  for (const route of agents) {
    const path = pathOf(route, { params });
    const body = route.id === 'previews.create' ? { input: {} } : {};
    const sent = route.method === 'POST' ? { body } : {};
    const byApp = await api.call(route.method, path, { ...sent, key: tokens.access });
    expect([route.id, byApp.status], byApp.text).toEqual([route.id, route.id === 'cache.flush' ? 200 : 404]);
    const bySession = await person.call(route.method, path, {
      ...sent,
      headers: { 'X-Environment-Id': environmentId },
    });
    expect([route.id, bySession.status, messageOf(bySession)]).toEqual([
      route.id,
      403,
      'This needs the role admin in the workspace; yours is member.',
    ]);
  }
});

test('tools/list shows no tool that the role of the user refuses, and a call of one says which role', async () => {
  const mcp = await findServer(`${api.baseUrl}/mcp`);
  const { person, tokens } = await connectedApp('admin', mcp);
  const client = await mcpClient(api, tokens.access);
  const toolNames = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  expect(await toolNames()).toContain('publish_message');
  await setRole(person, 'member');
  const left = await toolNames();
  expect(left).toContain('invoke_action');
  expect(left).not.toContain('publish_message');
  const refused = await client.callTool({ name: 'publish_message', arguments: {} });
  expect([refused.isError, JSON.stringify(refused.content)]).toEqual([true, expect.stringContaining('role admin')]);
  await client.close();
});

test('a member holds by an app what an agent holds, memory, and what a session of theirs may do', () => {
  const bySession = ROUTES.flatMap(({ of, scope, role }) =>
    of === 'environment' && role === 'member' && scope !== null ? [scope] : [],
  );
  const expected = new Set([...PRESET_SCOPES.agent, ...bySession, 'memory:read', 'memory:write']);
  const ofMembers = OFFERED_SCOPES.filter((scope) => leastRoleOf(scope) === 'member');
  expect(ofMembers).toEqual(OFFERED_SCOPES.filter((scope) => expected.has(scope)));
});
