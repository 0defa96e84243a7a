import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { Visitor } from '../pages/support.ts';
import {
  type App,
  beginAuthorization,
  connect,
  decideConsent,
  exchange,
  findServer,
  mcpClient,
  openConsent,
  signIn,
} from './support.ts';

/** An app connects as its user's browser and openid-client do it, from nothing but the URL of the MCP endpoint. */
let api: TestApi;
let person: TestPerson;
let app: App;
let environmentId: string;
beforeAll(async () => {
  api = await startTestApi();
  api.deps.pagesUrl = api.baseUrl;
  ({ environmentId } = api.database.tenant);
  person = await createPerson(api, 'admin');
  app = await findServer(`${api.baseUrl}/mcp`);
});
afterAll(async () => {
  await api?.close();
});

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
