import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../../embedded/credentials.ts';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import type { InstalledPackages } from '../packages.ts';
import { readVectors } from '../vectors.ts';
import type { SharedStack } from './shared-stack.ts';

const executable = chromiumPath();
const PAGE = `<!doctype html><title>The SDK in a browser</title>
<link rel="icon" href="data:,">
<script type="importmap">{"imports":{"agent-action-runtime-sdk":"/sdk/dist/index.js","openapi-fetch":"/openapi-fetch/dist/index.mjs"}}</script>
<script type="module" src="/browser-page.mjs"></script>`;

/** The package as npm installed it, in a real browser: its modules, WebCrypto, `fetch`, and the rules of origins. */
export function browserSuite(stack: () => SharedStack, installed: () => InstalledPackages): void {
  const leftOut = executable === null ? ` (${NO_CHROMIUM})` : '';
  describe.skipIf(executable === null)(`the SDK for TypeScript in a browser${leftOut}`, () => {
    let browser: Browser | undefined;
    let site: Site;
    let page: Page;
    const complaints: string[] = [];
    beforeAll(async () => {
      if (executable === null) return;
      site = await startSite(installed().folder, stack().credentials.baseUrl);
      browser = await startBrowser(executable);
      page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(site.url);
      await page.waitForFunction('globalThis.plays !== undefined');
    });
    afterAll(async () => {
      await browser?.close();
      await site?.close();
    });

    /** What the page answers. */
    const play = (name: string, given: unknown): Promise<unknown> =>
      page.evaluate(`plays.${name}(${JSON.stringify(given)})`);
    const agentKey = (): string => keyOf(stack().credentials, 'development', 'agent');

    it('invokes, reads, pages, and checks the receipt', async () => {
      const played = (await play('agent', { apiKey: agentKey() })) as { invocation: { id: string } };
      expect(played).toMatchObject({
        invocation: { status: 'succeeded', grade: 'acknowledged' },
        listed: [played.invocation.id, expect.stringMatching(/^inv_/)],
        receipt: { valid: true, brokenAt: null },
        lacking: { error: { name: 'MissingScopesError', missing: ['approvals:decide'] } },
        missing: { error: { name: 'NotFoundError', code: 'NOT_FOUND', status: 404 } },
      });
      expect(complaints).toEqual([]);
    });

    it('answers the vectors of deliveries and receipts', async () => {
      const { deliveries } = readVectors('deliveries');
      const wanted = deliveries.map(({ expect: { valid, ...rest } }) =>
        valid ? { value: rest } : { error: { name: 'DeliveryVerificationError', ...rest } },
      );
      expect(await play('deliveries', deliveries)).toMatchObject(wanted);
      const { receipts } = readVectors('receipts');
      expect(await play('receipts', receipts)).toEqual(receipts.map((vector) => vector.expect));
    });

    it('reaches no service of another origin: it sends no CORS headers', async () => {
      const { baseUrl } = stack().credentials;
      const refused = { error: { name: 'ConnectionError' } };
      expect(await play('elsewhere', { baseUrl, apiKey: agentKey() })).toMatchObject(refused);
      const preflight = await fetch(`${baseUrl}/api/v2/auth/identity`, {
        method: 'OPTIONS',
        headers: { Origin: site.url, 'Access-Control-Request-Method': 'GET' },
      });
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    });
  });
}

interface Site {
  url: string;
  close(): Promise<void>;
}

/** The page's own server: it has the modules, and hands what is below /api on to the service, as docs/sdk-typescript.md says. */
async function startSite(folder: string, baseUrl: string): Promise<Site> {
  const modules = path.join(folder, 'node_modules');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/api/')) return handOn(request, response, baseUrl);
    if (pathname === '/') return send(response, 'text/html', PAGE);
    const file =
      pathname === '/browser-page.mjs'
        ? path.join(import.meta.dirname, 'browser-page.mjs')
        : path.join(modules, pathname.replace('/sdk/', '/agent-action-runtime-sdk/'));
    if (!existsSync(file)) return void response.writeHead(404).end();
    send(response, 'text/javascript', readFileSync(file, 'utf8'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(text);
}

function handOn(incoming: IncomingMessage, outgoing: ServerResponse, baseUrl: string): void {
  const { method = 'GET', headers } = incoming;
  const forwarded = forward(new URL(incoming.url ?? '/', baseUrl), { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
}
