import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import * as openid from 'openid-client';
import { describe, expect, it, test } from 'vitest';
import { removeMember } from '../../../db/members/members.ts';
import { hashOfArtifact } from '../../../db/oauth/artifacts.ts';
import { deleteExpiredArtifacts, findExpiredArtifacts } from '../../../db/oauth/expired.ts';
import { type JsonObject, textOf } from '../../../domain/json.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { Visitor } from '../pages/support.ts';
import {
  beginAuthorization,
  checkedFields,
  clientIdOf,
  connect,
  decideConsent,
  exchange,
  findServer,
  nextOf,
  openConsent,
  postForm,
  REDIRECT,
  type Tokens,
} from './support.ts';
import { countRows } from '../harness/count-rows.ts';

/** What is refused: to apps, to thieves of tokens, and to other sites. Each of these is a way in if it works. */
const api = await startTestApi();
api.deps.pagesUrl = api.baseUrl;
const { environmentId } = api.database.tenant;
const person = await createPerson(api, 'admin');
const [mcp, rest] = [await findServer(`${api.baseUrl}/mcp`), await findServer(`${api.baseUrl}/api/v2/auth/identity`)];

const IDENTITY = '/api/v2/auth/identity';
const statusWith = async ({ access }: Pick<Tokens, 'access'>): Promise<number> =>
  (await api.call('GET', IDENTITY, { key: access })).status;
const connectRest = (who: TestPerson = person, params: Record<string, string> = {}): Promise<Tokens> =>
  connect(api, rest, who, { environmentId }, params);
const refresh = (refreshToken: string, more: Record<string, string> = {}): ReturnType<typeof postForm> =>
  postForm(api, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientIdOf(rest),
    refresh_token: refreshToken,
    ...more,
  });

async function auditOf(action: string): Promise<JsonObject[]> {
  const rows = await api.database.asOwner('SELECT details FROM audit_log WHERE action = $1 ORDER BY sequence DESC', [
    action,
  ]);
  return (rows as { details: JsonObject }[]).map(({ details }) => details);
}

describe('a refresh token', () => {
  it('is good once: its replay ends the whole connection', async () => {
    const first = await connectRest();
    const second = await refresh(first.refresh);
    expect(second.status).toBe(200);
    const access = textOf(second.json, 'access_token');
    expect(await statusWith({ access })).toBe(200);
    const stolen = await refresh(first.refresh);
    expect([stolen.status, stolen.json['error']]).toEqual([400, 'invalid_grant']);
    expect([await statusWith({ access }), await statusWith(first)]).toEqual([401, 401]);
    expect((await refresh(textOf(second.json, 'refresh_token'))).json['error']).toBe('invalid_grant');
    expect((await auditOf('app.disconnected'))[0]).toMatchObject({ endedBy: 'reuse', userId: person.userId });
  });

  it('that was used ends the connection also once it would have expired, after a sweep', async () => {
    const { refresh: copied } = await connectRest();
    const thief = await refresh(copied);
    const access = textOf(thief.json, 'access_token');
    // 31 days later.
    const aged = await api.database.asOwner(
      `UPDATE oauth_artifacts SET expires_at = expires_at - interval '31 days', consumed_at = consumed_at - interval '31 days',
         payload = jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::int - 31 * 86400)) WHERE hash = $1 RETURNING hash`,
      [hashOfArtifact(copied)],
    );
    expect(aged).toHaveLength(1);
    await deleteExpiredArtifacts(
      api.database.db,
      await findExpiredArtifacts(api.database.db, { afterId: '', limit: 1_000 }),
    );
    expect(await statusWith({ access })).toBe(200);
    expect((await refresh(copied)).json['error']).toBe('invalid_grant');
    expect(await statusWith({ access })).toBe(401);
    expect((await auditOf('app.disconnected'))[0]).toMatchObject({ endedBy: 'reuse', userId: person.userId });
  });

  it('that was never used expires after 30 days, and the connection stays', async () => {
    const { refresh: token, access } = await connectRest();
    await api.database.asOwner(
      `UPDATE oauth_artifacts SET payload = jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::int - 31 * 86400)) WHERE hash = $1`,
      [hashOfArtifact(token)],
    );
    expect((await refresh(token)).json['error']).toBe('invalid_grant');
    expect(await statusWith({ access })).toBe(200);
  });

  it('presented twice at the same moment gives tokens to one at most, and the connection ends', async () => {
    const { refresh: token } = await connectRest();
    const replies = await Promise.all([refresh(token), refresh(token), refresh(token)]);
    const given = replies.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { json } of given) expect(await statusWith({ access: textOf(json, 'access_token') })).toBe(401);
  });

  it('of another app is refused', async () => {
    const { refresh: token } = await connectRest();
    const reply = await refresh(token, { client_id: clientIdOf(mcp) });
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_grant']);
  });

  it('is not used up by a request that is refused: the next right one gets tokens', async () => {
    const { refresh: token } = await connectRest(person, { scope: 'actions:read' });
    const refused = [
      { resource: mcp.resource },
      { resource: 'https://elsewhere.example/mcp' },
      { resource: 'no url' },
      { scope: 'actions:read actions:invoke' },
      { scope: 'a\u0001b' },
      { scope: 'actions:read', resource: mcp.resource },
      { client_id: clientIdOf(mcp) },
      { client_id: 'nobody' },
    ];
    for (const more of refused) {
      const reply = await refresh(token, more);
      expect([more, reply.status]).toEqual([more, more.client_id === 'nobody' ? 401 : 400]);
    }
    const twice = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientIdOf(rest),
      refresh_token: token,
    });
    for (const resource of [rest.resource, mcp.resource]) twice.append('resource', resource);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await api.call('POST', '/oauth/token', { raw: twice.toString(), headers })).status).toBe(400);
    const right = await refresh(token, { resource: rest.resource });
    expect([right.status, await statusWith({ access: textOf(right.json, 'access_token') })]).toEqual([200, 200]);
  });

  it('never widens what was allowed', async () => {
    const { refresh: token } = await connectRest(person, { scope: 'actions:read' });
    const reply = await refresh(token, { scope: 'actions:read actions:invoke' });
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_scope']);
  });
});

test('a code is good once: its replay ends what it gave', async () => {
  const browser = new Visitor(api, { 'service-session': person.token });
  const authorization = await beginAuthorization(rest);
  const { path, page } = await openConsent(browser, authorization.url);
  const back = await decideConsent(browser, path, page.text, { environmentId });
  const tokens = await exchange(rest, back, authorization);
  await expect(exchange(rest, back, authorization)).rejects.toThrow(/error|invalid/i);
  expect(await statusWith(tokens)).toBe(401);
});

describe('a resource', () => {
  it('takes no token of the other', async () => {
    const forRest = await connectRest();
    const forMcp = await connect(api, mcp, person, { environmentId });
    const crossed = await api.call('GET', IDENTITY, { key: forMcp.access });
    expect([crossed.status, crossed.headers.get('WWW-Authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${api.baseUrl}/.well-known/oauth-protected-resource/api/v2"`,
    ]);
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const headers = { Accept: 'application/json, text/event-stream' };
    expect((await api.call('POST', '/mcp', { key: forRest.access, body, headers })).status).toBe(401);
    expect((await api.call('POST', '/mcp', { key: forMcp.access, body, headers })).status).toBe(200);
  });

  it.each(['https://elsewhere.example/mcp', 'https://elsewhere.example'])(
    'that is not ours is refused: %s',
    async (resource) => {
      const { url } = await beginAuthorization(mcp, { resource });
      const reply = await api.call('GET', `${url.pathname}${url.search}`);
      expect(reply.status).toBe(303);
      expect(new URL(reply.headers.get('Location') ?? '').searchParams.get('error')).toBe('invalid_target');
    },
  );

  it('that was not consented to is refused for a refresh token', async () => {
    const { refresh: token } = await connectRest();
    const reply = await refresh(token, { resource: mcp.resource });
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_target']);
  });

  it('that was not consented to leaves the code to the next right request', async () => {
    const browser = new Visitor(api, { 'service-session': person.token });
    const authorization = await beginAuthorization(rest);
    const { path, page } = await openConsent(browser, authorization.url);
    const back = await decideConsent(browser, path, page.text, { environmentId });
    await expect(exchange({ ...rest, resource: mcp.resource }, back, authorization)).rejects.toThrow(/error|invalid/i);
    expect(await statusWith(await exchange(rest, back, authorization))).toBe(200);
  });

  it('is the same with a slash at its end: for consent, code, refresh and call', async () => {
    const slashed = { ...mcp, resource: `${mcp.resource}/` };
    const { access, refresh: token } = await connect(api, slashed, person, { environmentId });
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const path of ['/mcp', '/mcp/'])
      expect((await api.call('POST', path, { key: access, body })).status).toBe(200);
    const client = { client_id: clientIdOf(mcp) };
    const again = await refresh(token, { ...client, resource: slashed.resource });
    expect(again.status).toBe(200);
    const bare = await refresh(textOf(again.json, 'refresh_token'), { ...client, resource: mcp.resource });
    expect(bare.status).toBe(200);
    const restSlashed = { ...rest, resource: `${rest.resource}/` };
    expect(await statusWith(await connect(api, restSlashed, person, { environmentId }))).toBe(200);
  });

  it('has metadata that is found with a slash at its end, too', async () => {
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']) {
      const [bare, slashed] = [await api.call('GET', path), await api.call('GET', `${path}/`)];
      expect([slashed.status, slashed.json]).toEqual([200, bare.json]);
    }
  });
});

describe('an authorization request', () => {
  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1:9/other',
    'http://127.0.0.1.evil.example:9/callback',
    `${REDIRECT}/more`,
  ])('whose redirect is not registered leads nowhere: %s', async (redirect) => {
    const { url } = await beginAuthorization(mcp, { redirect_uri: redirect });
    const reply = await new Visitor(api).get(`${url.pathname}${url.search}`);
    expect([reply.status, reply.location]).toEqual([400, null]);
    expect(reply.text).toContain('The app is not connected');
    expect(reply.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  it.each([{ code_challenge: '' }, { code_challenge_method: 'plain' }])(
    'without PKCE is refused: %o',
    async (params) => {
      const { url } = await beginAuthorization(mcp, params);
      const reply = await api.call('GET', `${url.pathname}${url.search}`);
      expect(new URL(reply.headers.get('Location') ?? '').searchParams.get('error')).toBe('invalid_request');
    },
  );

  // RFC 9700, 4.11.2: anybody registers a redirect, and none of them makes a link on our address lead to it.
  it.each([{ code_challenge: '' }, { prompt: 'none' }, { state: 's'.repeat(3_000) }])(
    'that is refused before a sign-in stays on our page: %o',
    async (params) => {
      const redirect = 'https://phish.example/callback';
      const registered = await api.call('POST', '/oauth/register', {
        body: { redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
      });
      const client = { client_id: textOf(registered.json as JsonObject, 'client_id'), redirect_uri: redirect };
      const { url } = await beginAuthorization(mcp, { ...client, ...params });
      const reply = await new Visitor(api).get(`${url.pathname}${url.search}`);
      expect([reply.status, reply.location]).toEqual([400, null]);
      expect(reply.text).toContain('The app is not connected');
    },
  );

  it('asks for no form that posts itself: our pages run no script', async () => {
    const metadata = (await api.call('GET', '/.well-known/oauth-authorization-server')).json as JsonObject;
    expect(metadata['response_modes_supported']).toEqual(['query', 'fragment']);
    const { url } = await beginAuthorization(mcp, { response_mode: 'form_post' });
    const reply = await new Visitor(api).get(`${url.pathname}${url.search}`);
    expect([reply.status, reply.location]).toEqual([400, null]);
    expect(reply.text).toContain('response_mode must be query or fragment');
    expect(reply.text).not.toContain('<form');
  });

  const failuresSince = (before: number): string[] =>
    api.logLines.slice(before).filter((line) => line.includes('"level":50'));

  it('with a NUL is refused, at the token endpoint too, and is no failure of ours', async () => {
    const before = api.logLines.length;
    const { url } = await beginAuthorization(mcp, { state: 'state\0' });
    const reply = await new Visitor(api).get(`${url.pathname}${url.search}`);
    expect([reply.status, new URL(reply.location ?? '').searchParams.get('error')]).toEqual([303, 'invalid_request']);
    const exchanged = await postForm(api, '/oauth/token', { grant_type: 'refresh_token', client_id: '\0' });
    expect([exchanged.status, exchanged.json['error']]).toEqual([401, 'invalid_client']);
    expect(failuresSince(before)).toEqual([]);
  });

  it.each(['\0', '\uD800'])('of an app whose name holds %j is never begun: it is not registered', async (text) => {
    const before = api.logLines.length;
    const body = { client_name: `app${text}`, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
    const registered = await api.call('POST', '/oauth/register', { body });
    expect([registered.status, (registered.json as JsonObject)['error']]).toEqual([400, 'invalid_client_metadata']);
    expect(failuresSince(before)).toEqual([]);
  });

  it('gives no tokens for a code without its verifier', async () => {
    const browser = new Visitor(api, { 'service-session': person.token });
    const authorization = await beginAuthorization(rest);
    const { path, page } = await openConsent(browser, authorization.url);
    const back = await decideConsent(browser, path, page.text, { environmentId });
    const other = { ...authorization, verifier: openid.randomPKCECodeVerifier() };
    await expect(exchange(rest, back, other)).rejects.toThrow(/error|invalid/i);
  });

  it('that the user refuses goes back with access_denied and no code', async () => {
    const browser = new Visitor(api, { 'service-session': person.token });
    const { url } = await beginAuthorization(rest);
    const { path, page } = await openConsent(browser, url);
    const back = await decideConsent(browser, path, page.text, { environmentId, decision: 'deny' });
    expect([back.searchParams.get('error'), back.searchParams.get('code')]).toEqual(['access_denied', null]);
  });
});

it.each([
  ['a scheme that any app can claim', { redirect_uris: ['agent://callback'] }],
  ['http that is not the loopback', { redirect_uris: ['http://agent.example/callback'] }],
  ['a mixture', { redirect_uris: [REDIRECT, 'http://agent.example/callback'] }],
  ['too many', { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://agent.example/${index}`) }],
  ['a form that posts itself', { redirect_uris: [REDIRECT], response_modes: ['form_post'] }],
])('a registration with %s is refused', async (_what, body) => {
  expect((await api.call('POST', '/oauth/register', { body })).status).toBe(400);
});

describe('a client id metadata document', () => {
  it('on a private address is not fetched', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      '169.254.169.254',
      '10.0.0.1',
      `[::ffff:127.0.0.1]:${port}`,
    ]) {
      const { url } = await beginAuthorization(mcp, { client_id: `https://${host}/client.json` });
      const reply = await api.call('GET', `${url.pathname}${url.search}`);
      expect([host, reply.status, reply.headers.get('Location')]).toEqual([host, 400, null]);
    }
    await new Promise((resolve) => listener.close(resolve));
    expect(connections).toBe(0);
  });
});

describe('a call', () => {
  it('without the consented scope is refused and told which', async () => {
    const tokens = await connectRest(person, { scope: 'actions:read' });
    expect(tokens.scopes).toEqual(['actions:read']);
    expect((await api.call('GET', '/api/v2/actions', { key: tokens.access })).status).toBe(200);
    const reply = await api.call('POST', '/api/v2/actions/any/invoke', { key: tokens.access, body: { input: {} } });
    expect([reply.status, reply.headers.get('WWW-Authenticate')]).toEqual([
      403,
      expect.stringContaining('error="insufficient_scope", scope="actions:invoke"'),
    ]);
  });

  it('that needs a scope which no app gets is refused, and no client is told to ask for it', async () => {
    const { access } = await connectRest();
    const reply = await api.call('GET', '/api/v2/approval-policies', { key: access });
    expect([reply.status, reply.headers.get('WWW-Authenticate')]).toEqual([403, null]);
    expect(reply.text).toContain('No app gets the scope policies:read');
  });

  it('of a removed member fails, and stays so when they come back', async () => {
    const leaving = await createPerson(api, 'member');
    const tokens = await connectRest(leaving);
    expect(await statusWith(tokens)).toBe(200);
    const { db, tenant } = api.database;
    await db.withWorkspace(tenant.workspaceId, (tx) => removeMember(tx, leaving.userId));
    expect(await statusWith(tokens)).toBe(401);
    await api.database.asOwner(
      "INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'owner', now() + interval '1 second')",
      [tenant.workspaceId, leaving.userId],
    );
    expect(await statusWith(tokens)).toBe(401);
    expect((await refresh(tokens.refresh)).status).toBe(400);
  });

  it('does what the role of its user allows now, and no more', async () => {
    const demoted = await createPerson(api, 'admin');
    const tokens = await connectRest(demoted);
    const create = (): Promise<{ status: number }> =>
      api.call('POST', '/api/v2/events/topics', { key: tokens.access, body: { name: `t-${demoted.userId}` } });
    expect((await create()).status).toBe(201);
    await api.database.asOwner("UPDATE members SET role = 'member' WHERE user_id = $1", [demoted.userId]);
    expect((await create()).status).toBe(403);
  });
});

describe('a connected app', () => {
  it('is listed and disconnected by its user alone', async () => {
    const [owner, other] = [await createPerson(api, 'member'), await createPerson(api, 'owner')];
    const tokens = await connectRest(owner, { scope: 'actions:read' });
    const listed = (await owner.call('GET', '/api/v2/auth/connected-apps')).json as { data: JsonObject[] };
    expect(listed.data).toEqual([
      expect.objectContaining({
        clientId: clientIdOf(rest),
        name: 'Test agent',
        resource: 'api',
        environment: expect.objectContaining({ id: environmentId }),
        scopes: ['actions:read'],
      }),
    ]);
    const path = `/api/v2/auth/connected-apps/${textOf(listed.data[0] ?? {}, 'id')}`;
    expect((await other.call('DELETE', path)).status).toBe(404);
    expect((await api.call('DELETE', path, { key: tokens.access })).status).toBe(403);
    expect(await statusWith(tokens)).toBe(200);
    expect((await owner.call('DELETE', path)).status).toBe(200);
    expect(await statusWith(tokens)).toBe(401);
    expect((await refresh(tokens.refresh)).json['error']).toBe('invalid_grant');
    expect((await owner.call('DELETE', path)).status).toBe(404);
  });

  it('ends itself by revoking its token, and no other app can', async () => {
    const tokens = await connectRest();
    await postForm(api, '/oauth/revoke', { token: tokens.refresh, client_id: clientIdOf(mcp) });
    expect(await statusWith(tokens)).toBe(200);
    await postForm(api, '/oauth/revoke', { token: tokens.access, client_id: clientIdOf(rest) });
    expect([await statusWith(tokens), (await refresh(tokens.refresh)).status]).toEqual([401, 400]);
  });
});

describe('the consent page', () => {
  async function opened(
    scope = 'actions:read',
  ): Promise<{ browser: Visitor; path: string; fields: Record<string, string> }> {
    const browser = new Visitor(api, { 'service-session': person.token });
    const { url } = await beginAuthorization(rest, { scope });
    const { path, page } = await openConsent(browser, url);
    const csrf = /name="csrfToken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    return {
      browser,
      path,
      fields: { ...checkedFields(page.text), csrfToken: csrf, environmentId, decision: 'allow' },
    };
  }
  const grants = (): Promise<number> => countRows(api.database, 'oauth_grants');

  it('takes its form from our own page only', async () => {
    const { browser, path, fields } = await opened();
    const before = await grants();
    const { csrfToken: _, ...without } = fields;
    expect((await browser.post(path, without)).status).toBe(403);
    expect((await browser.post(path, { ...fields, csrfToken: 'wrong' })).status).toBe(403);
    expect((await browser.post(path, fields, { Origin: 'https://evil.example' })).status).toBe(403);
    expect(await grants()).toBe(before);
    expect(nextOf(await browser.post(path, fields))).toContain('/oauth/authorize/');
    expect(await grants()).toBe(before + 1);
  });

  it('is of the browser that began the request: nobody consents to a request of another', async () => {
    const { path, fields } = await opened();
    const victim = await createPerson(api, 'admin');
    const lured = new Visitor(api, { 'service-session': victim.token });
    const before = await grants();
    expect((await lured.get(path)).status).toBe(404);
    expect((await lured.post(path, { ...fields, csrfToken: victim.csrfToken })).status).toBe(404);
    expect(await grants()).toBe(before);
  });

  it('takes no environment of a workspace that the user is not in', async () => {
    const { browser, path, fields } = await opened();
    const before = await grants();
    const reply = await browser.post(path, { ...fields, environmentId: '0192f0c1-0000-7000-8000-000000000000' });
    expect([reply.status, await grants()]).toEqual([400, before]);
  });

  it('is answered once', async () => {
    const { browser, path, fields } = await opened();
    const before = await grants();
    await Promise.all([browser.post(path, fields), browser.post(path, fields)]);
    expect(await grants()).toBe(before + 1);
  });

  const BARRED = [
    'actions:govern',
    'actions:resolve',
    'environments:halt',
    'policies:read',
    'policies:write',
    'impact-limits:write',
  ];

  it('never offers what no app gets, and never grants it', async () => {
    const scope = `actions:read messages:ingest ${BARRED.join(' ')}`;
    const browser = new Visitor(api, { 'service-session': person.token });
    const authorization = await beginAuthorization(rest, { scope });
    const { path, page } = await openConsent(browser, authorization.url);
    for (const barred of [...BARRED, 'messages:ingest']) expect(page.text).not.toContain(barred);
    const form = page.text.slice(page.text.lastIndexOf('<form'));
    const csrf = /name="csrfToken" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const forged = Object.fromEntries(BARRED.map((barred) => [`scope:${barred}`, 'on']));
    const fields = { ...checkedFields(form), ...forged, csrfToken: csrf, environmentId, decision: 'allow' };
    const sent = await browser.post(path, fields);
    const back = await browser.get(nextOf(sent));
    const tokens = await exchange(rest, new URL(back.location ?? ''), authorization);
    expect(tokens.scopes).toEqual(['actions:read']);
  });

  it('has the four groups off until the user chooses them', async () => {
    const grouped = ['approvals:decide', 'integrations:write', 'secrets:write', 'budgets:read'];
    const scope = `actions:read ${grouped.join(' ')}`;
    const left = await connectRest(person, { scope });
    expect(left.scopes).toEqual(['actions:read']);
    const chosen = await connect(api, rest, person, { environmentId, groups: ['approvals', 'budgets'] }, { scope });
    expect([...chosen.scopes].sort()).toEqual(['actions:read', 'approvals:decide', 'budgets:read']);
  });
});

test('no token and no code can be read in the database', async () => {
  const browser = new Visitor(api, { 'service-session': person.token });
  const authorization = await beginAuthorization(rest);
  const { path, page } = await openConsent(browser, authorization.url);
  const uid = path.split('/').at(-1) ?? '';
  const stored = async (): Promise<string> => {
    const rows = await api.database.asOwner(
      "SELECT string_agg(a::text, '|') AS text FROM (SELECT * FROM oauth_artifacts) a",
      [],
    );
    return (rows as { text: string }[])[0]?.text ?? '';
  };
  expect(uid.length).toBeGreaterThan(20);
  expect(await stored()).not.toContain(uid);
  const back = await decideConsent(browser, path, page.text, { environmentId });
  const code = back.searchParams.get('code') ?? '';
  expect(await stored()).not.toContain(code);
  const tokens = await exchange(rest, back, authorization);
  const all = await stored();
  expect([all.includes(tokens.access), all.includes(tokens.refresh)]).toEqual([false, false]);
  const keys = await api.database.asOwner('SELECT sealed_value FROM oauth_signing_keys', []);
  expect((keys as { sealed_value: Buffer }[])[0]?.sealed_value.toString('latin1')).not.toContain('"d"');
  expect(api.logLines.join('')).not.toContain(tokens.access);
});
