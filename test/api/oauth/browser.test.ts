import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { type App, beginAuthorization, findServer } from './support.ts';

/** Browsers ask the page's policy about each redirect that follows a form: only a browser shows that the app is reached. */
const executable = chromiumPath();
if (executable === null) console.warn(NO_CHROMIUM);

describe.skipIf(executable === null)('the browser comes back to an app', { timeout: 2 * PATIENCE_MS }, () => {
  let api: TestApi;
  let person: TestPerson;
  let app: App;
  let browser: Browser;
  const servers: Server[] = [];
  beforeAll(async () => {
    api = await startTestApi();
    api.deps.pagesUrl = api.baseUrl;
    person = await createPerson(api, 'admin');
    app = await findServer(`${api.baseUrl}/mcp`);
    browser = await startBrowser(executable ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
    await api?.close();
  });

  const listen = async (host: string, onRequest: Parameters<typeof createServer>[1]): Promise<string> => {
    const server = createServer(onRequest);
    servers.push(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    const { port } = server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  };
  /** Where the browser ends after the person's decision, for an app with this redirect; and the state that the app sent. */
  const decide = async (
    redirect: string,
    endsAt: string,
    press: (page: Page) => Promise<void>,
  ): Promise<{ end: URL; state: string }> => {
    const registered = await api.call('POST', '/oauth/register', {
      body: { redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    });
    const { client_id: clientId } = registered.json as { client_id: string };
    const authorization = await beginAuthorization(app, { client_id: clientId, redirect_uri: redirect });
    const context = await browser.newContext();
    await context.addCookies([{ name: 'service-session', value: person.token, url: api.baseUrl }]);
    const page = await context.newPage();
    await page.goto(authorization.url.href);
    await press(page);
    await page.waitForURL((url) => url.href.startsWith(endsAt), { timeout: PATIENCE_MS });
    const end = new URL(page.url());
    await context.close();
    return { end, state: authorization.state };
  };
  const allow = async (page: Page): Promise<void> => {
    await page.getByLabel('Development').check();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
  };

  it('that listens on [::1]', async () => {
    const origin = await listen('::1', (_request, response) => response.end('connected'));
    const { end, state } = await decide(`${origin}/callback`, `${origin}/callback?code=`, allow);
    expect(end.searchParams.get('state')).toBe(state);
  });

  it('whose callback leads on to another site', async () => {
    const final = await listen('127.0.0.1', (_request, response) => response.end('connected'));
    const callback = await listen('127.0.0.1', (request, response) =>
      response.writeHead(302, { Location: `${final}/done${new URL(request.url ?? '/', final).search}` }).end(),
    );
    const { end, state } = await decide(`${callback}/callback`, `${final}/done?code=`, allow);
    expect(end.searchParams.get('state')).toBe(state);
  });

  it('after “Do not allow”, for which nothing has to be chosen', async () => {
    const origin = await listen('127.0.0.1', (_request, response) => response.end('refused'));
    const deny = (page: Page): Promise<void> => page.getByRole('button', { name: 'Do not allow' }).click();
    const { end, state } = await decide(`${origin}/callback`, `${origin}/callback?`, deny);
    expect([end.searchParams.get('error'), end.searchParams.get('state')]).toEqual(['access_denied', state]);
  });
});
