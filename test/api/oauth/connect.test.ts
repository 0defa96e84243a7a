import { describe, expect, it } from 'vitest';
import { createClientDocumentFetcher } from '../../../activities/adapters/http-request/fetch-client-document.ts';
import { CONSENT_PATH } from '../../../api/http/oauth-places.ts';
import { parseAddressRanges } from '../../../domain/address-ranges.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import { WATCHDOG } from '../../harness/watchdog.ts';
import { createPerson } from '../harness/people.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { Visitor } from '../pages/support.ts';
import { DOCUMENT_REDIRECT, startDocumentSite } from './document-site.ts';
import {
  beginAuthorization,
  checkedFields,
  connect,
  decideConsent,
  exchange,
  findServer,
  mcpClient,
  openConsent,
  signIn,
} from './support.ts';

/** An app connects as its user's browser and openid-client do it, from nothing but the URL of the MCP endpoint. */
const DOCUMENT = 'https://agent.example/client.json';

const fetchOverTls = createClientDocumentFetcher({
  egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
  watchdog: WATCHDOG,
});

/** What a host of the internet would serve. The loopback is reached as it is. */
async function documentAt(url: string, network: string): ReturnType<TestApi['deps']['fetchClientDocument']> {
  if (new URL(url).hostname === 'localhost') return fetchOverTls(url, network);
  if (url !== DOCUMENT) return { kind: 'refused', message: 'is not there' };
  const metadata = {
    client_id: DOCUMENT,
    client_name: 'Documented agent',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  };
  return { kind: 'fetched', bytes: Buffer.from(JSON.stringify(metadata)) };
}

const api = await startTestApi({ fetchClientDocument: documentAt });
api.deps.pagesUrl = api.baseUrl;
const { environmentId } = api.database.tenant;
const person = await createPerson(api, 'admin');
const app = await findServer(`${api.baseUrl}/mcp`);

describe('from the MCP URL to a tool', () => {
  it('401, metadata, registration, sign-in, consent, token, call', async () => {
    const browser = new Visitor(api);
    const authorization = await beginAuthorization(app);
    const { path, page } = await openConsent(browser, authorization.url);
    expect([page.status, page.location]).toEqual([
      303,
      `/console/sign-in?${new URLSearchParams({ next: path }).toString()}`,
    ]);
    const signedIn = await signIn(browser, page.location ?? '', person.email);
    expect(signedIn.location).toBe(path);
    const consent = await browser.get(path);
    expect(consent.status).toBe(200);
    const back = await decideConsent(browser, path, consent.text, { environmentId });
    expect(back.searchParams.get('iss')).toBe(api.baseUrl);
    const tokens = await exchange(app, back, authorization);
    const client = await mcpClient(api, tokens.access);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('invoke_action');
    const found = await client.callTool({ name: 'search_actions', arguments: {} });
    expect(found.isError).not.toBe(true);
    await client.close();
  });

  it('connects a client by its metadata document, on whichever loopback port it listens', async () => {
    const browser = new Visitor(api, { 'service-session': person.token });
    const params = { client_id: DOCUMENT, redirect_uri: 'http://127.0.0.1:4711/callback' };
    const { url } = await beginAuthorization(app, params);
    const { path, page } = await openConsent(browser, url);
    expect(page.text).toContain('Connect Documented agent');
    expect(page.headers.get('Content-Security-Policy')).toContain("form-action 'self';");
    const back = await decideConsent(browser, path, page.text, { environmentId });
    expect([back.origin, back.searchParams.get('code')]).toEqual(['http://127.0.0.1:4711', expect.any(String)]);
    const unknown = await beginAuthorization(app, { client_id: 'https://agent.example/none.json' });
    expect((await browser.get(`${unknown.url.pathname}${unknown.url.search}`)).status).toBe(400);
  });

  it('has a network wait for no document that another one asked for first', async () => {
    const asked: string[] = [];
    const [hostile, honest] = ['192.0.2.1', '198.51.100.1'];
    let release = (): void => {};
    const hanging = new Promise<void>((resolve) => (release = resolve));
    const proxied = await startTestApi({
      database: api.database,
      network: { publicUrl: null, trustedProxies: parseAddressRanges('127.0.0.1') },
      fetchClientDocument: async (url, network) => {
        asked.push(network);
        if (network === honest) return documentAt(url, network);
        await hanging;
        return { kind: 'refused', message: 'had no turn' };
      },
    });
    proxied.deps.pagesUrl = api.baseUrl; // the resource that the app asks for is there
    try {
      const { url } = await beginAuthorization(app, { client_id: DOCUMENT });
      const authorize = (network: string): ReturnType<TestApi['call']> =>
        proxied.call('GET', `${url.pathname}${url.search}`, { headers: { 'X-Forwarded-For': network } });
      const waiting = [authorize(hostile), authorize(hostile)];
      await expect.poll(() => asked).toEqual([hostile]);
      expect((await authorize(honest)).headers.get('Location')).toContain(CONSENT_PATH);
      release();
      await Promise.all(waiting);
      expect(asked).toEqual([hostile, honest]);
    } finally {
      release();
      await proxied.close();
    }
  });

  // The same server connects a client where its certificate is trusted: test/sdk/stack/oauth-suite.ts.
  it('reads no metadata document of a server whose certificate nobody vouches for', async () => {
    const site = await startDocumentSite();
    try {
      const params = { client_id: site.clientId, redirect_uri: DOCUMENT_REDIRECT };
      const { url } = await beginAuthorization(app, params);
      expect((await new Visitor(api).get(`${url.pathname}${url.search}`)).status).toBe(400);
      expect([site.requests, site.connections() > 0]).toEqual([[], true]);
    } finally {
      await site.close();
    }
  });

  it('keeps the throttle of sign-ins on the way to a consent: a paused account consents to nothing', async () => {
    const { email } = await createPerson(api, 'member');
    const browser = new Visitor(api);
    const authorization = await beginAuthorization(app);
    const { path, page } = await openConsent(browser, authorization.url);
    const signInPath = page.location ?? '';
    let last = await browser.submit(signInPath, { email, password: 'not this one' });
    for (let attempt = 0; attempt < 20 && last.status === 401; attempt++) {
      last = await browser.submit(signInPath, { email, password: 'not this one' });
    }
    expect([last.status, last.text]).toEqual([429, expect.stringMatching(/Too many failed sign-ins\. Try again in/)]);
    expect(last.text).toContain(`name="next" value="${path}"`);
    // As after many more failures: the first pauses are shorter than a busy machine may take for the next lines.
    const pause = (until: string): Promise<unknown> =>
      api.database.asOwner(
        `UPDATE sign_in_throttles SET blocked_until = now() + $1::interval WHERE blocked_until IS NOT NULL`,
        [until],
      );
    await pause('10 minutes');
    const right = await signIn(browser, signInPath, email);
    expect([right.status, browser.cookies.has('service-session')]).toEqual([429, false]);
    const closed = await browser.get(path);
    expect([closed.status, closed.location]).toEqual([303, signInPath]);
    expect((await browser.post(path, { environmentId, decision: 'allow' })).status).toBe(401);
    await pause('-1 second');
    expect((await signIn(browser, signInPath, email)).location).toBe(path);
    const consent = await browser.get(path);
    const back = await decideConsent(browser, path, consent.text, { environmentId });
    expect((await exchange(app, back, authorization)).scopes).toContain('actions:read');
  });

  it('asks who has a passkey for it in a protected environment, as for an API key', async () => {
    const { development } = await api.database.anotherWorkspace();
    await api.database.asOwner('UPDATE environments SET protected = true WHERE id = $1', [development.environmentId]);
    const careful = await createPerson(api, 'admin', { workspaceId: development.workspaceId });
    await api.database.asOwner(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, is_synced)
       VALUES ('pky_careful', $1, 'Phone', 'x', 'y', 0, '{}', false)`,
      [careful.userId],
    );
    const shownMinutesAgo = (minutes: number): Promise<unknown> =>
      api.database.asOwner(
        `UPDATE sign_in_sessions SET second_factor = 'passkey', second_factor_at = now() - make_interval(mins => $2) WHERE id = $1`,
        [careful.sessionId, minutes],
      );
    const browser = new Visitor(api, { 'service-session': careful.token });
    await shownMinutesAgo(50);
    const { path, page } = await openConsent(browser, (await beginAuthorization(app)).url);
    expect(page.text).toMatch(/<form method="post" data-passkey="\d+">/);
    const { environmentId: id } = development;
    const refused = await browser.submit(path, { ...checkedFields(page.text), environmentId: id, decision: 'allow' });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Confirm with your passkey, then send this again');
    await shownMinutesAgo(1);
    await decideConsent(browser, path, page.text, { environmentId: id });
  });

  it('GET /auth/identity shows a token of the REST API', async () => {
    const rest = await findServer(`${api.baseUrl}/api/v2/auth/identity`);
    expect(rest.resource).toBe(`${api.baseUrl}/api/v2`);
    const tokens = await connect(api, rest, person, { environmentId }, { scope: 'actions:read actions:invoke' });
    const reply = await api.call('GET', '/api/v2/auth/identity', { key: tokens.access });
    expect(reply.json).toMatchObject({
      data: {
        type: 'oauth',
        keyId: null,
        userId: person.userId,
        environment: { id: environmentId },
        scopes: ['actions:invoke', 'actions:read'],
        preset: null,
      },
    });
  });
});
