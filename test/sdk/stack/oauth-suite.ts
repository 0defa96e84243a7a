import * as openid from 'openid-client';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { DOCUMENT_REDIRECT, startDocumentSite } from '../../api/oauth/document-site.ts';
import {
  type App,
  beginAuthorization,
  decideConsent,
  exchange,
  findServer,
  mcpClient,
  openConsent,
} from '../../api/oauth/support.ts';
import { type Answer, Visitor } from '../../api/pages/support.ts';
import { type SharedStack, structuredIn } from './shared-stack.ts';

const timeout = 3 * PATIENCE_MS;

/** OAuth against `npm start`: the commands of docs/oauth.md, and a client that is a document on a server with TLS. */
export function oauthSuite(stack: () => SharedStack): void {
  describe('OAuth', () => {
    it('docs/oauth.md: from the URL alone to a call, a refresh and the end', { timeout }, async () => {
      const { credentials } = stack();
      const { baseUrl, owner } = credentials;
      const { printed, findings } = await stack().walkPage('docs/oauth.md', async (_step, output) => {
        if (!output.startsWith(`${baseUrl}/oauth/authorize?`)) return;
        const back = await consentAsOwner(stack(), new URL(output));
        await (await fetch(back)).text(); // the listener of the page
      });
      expect(findings).toEqual([]);
      const all = printed.join('\n');
      expect(all).toContain(`WWW-Authenticate: Bearer resource_metadata="${baseUrl}/.well-known/`);
      expect(all).toContain(`a code, from ${baseUrl}`);
      const records = printed.map(structuredIn).filter((record) => record !== undefined);
      const done = { status: 'succeeded', requestedBy: { type: 'user', clientId: expect.any(String) as string } };
      expect(records).toMatchObject([done, done]);
      expect(all).not.toContain(owner.password);
    });

    it('connects a client by the document that its https server answers', { timeout }, async () => {
      const { baseUrl } = stack().credentials;
      const site = await startDocumentSite();
      try {
        const app = documented(await findServer(`${baseUrl}/mcp`), site.clientId);
        const authorization = await beginAuthorization(app, { redirect_uri: DOCUMENT_REDIRECT });
        // A fetch has five seconds, which a busy machine may need; then the document is kept.
        await vi.waitFor(() => openConsent(new Visitor({ baseUrl }), authorization.url), { timeout: PATIENCE_MS });
        const pages: string[] = [];
        const back = await consentAsOwner(stack(), authorization.url, pages);
        expect(pages.join('')).toContain('Connect Documented agent');
        const tokens = await exchange(app, back, authorization);
        const client = await mcpClient({ baseUrl }, tokens.access);
        const called = await client.callTool({ name: 'search_actions', arguments: { query: 'demo.echo' } });
        await client.close();
        const found = expect.arrayContaining([expect.objectContaining({ name: 'demo.echo' })]) as unknown;
        expect(called.structuredContent).toMatchObject({ actions: found });
        expect(new Set(site.requests)).toEqual(new Set(['GET /client.json']));
      } finally {
        await site.close();
      }
    });
  });
}

/** The browser of the owner: signs in, chooses the development environment, allows. Answers where the app is called back. */
async function consentAsOwner({ credentials }: SharedStack, url: URL, pages: string[] = []): Promise<URL> {
  const { baseUrl, owner, environments } = credentials;
  const browser = new Visitor({ baseUrl });
  const { path, page } = await openConsent(browser, url);
  const signedIn = await browser.submit(locationOf(page), { email: owner.email, password: owner.password });
  expect(signedIn.location).toBe(path);
  const consent = await browser.get(path);
  pages.push(consent.text);
  const environmentId = environments.find(({ kind }) => kind === 'development')?.id ?? '';
  return decideConsent(browser, path, consent.text, { environmentId });
}

function locationOf({ location, text }: Answer): string {
  if (location === null) throw new Error(`it leads to no sign-in: ${text}`);
  return location;
}

/** The same server for a client that registered nowhere. */
function documented({ config, ...app }: App, clientId: string): App {
  const own = new openid.Configuration(config.serverMetadata(), clientId, undefined, openid.None());
  openid.allowInsecureRequests(own);
  return { ...app, config: own };
}
