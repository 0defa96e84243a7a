import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalPath } from '../../../domain/console-links.ts';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { type SeenRequest, startTarget } from '../../harness/target.ts';
import {
  type Approval,
  keyClient,
  type KeyClient,
  largeRefunds,
  putPolicy,
  readApproval,
  untilStatus,
} from '../approvals/support.ts';
import { createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { invoke } from '../invocations/support.ts';
import { barriers } from './browser-support.ts';

/** The pages in a real browser, with its own form encoding, Origin, CSP and cookies: from the link of an approval to the call. */
const executable = chromiumPath();
const SECRET = 'pk_live_12345678';
/** Line ends, unseen and reversing characters, markup: what a page could show otherwise than it is sent. */
const REASON = ` <b>late</b> &amp; "quoted" '\`\r\nline two\n\ttab \u202Egnp.exe\u202C \u200B end\u00A0ä 𝄞 `;

let agent: KeyClient;
let owner: TestPerson;
let browser: Browser | undefined;
const [service, target] = await Promise.all([startTestService(), startTarget()]);
beforeAll(async () => {
  if (executable === null) return;
  browser = await startBrowser(executable);
  agent = await keyClient(service, service.database.tenants.production);
  owner = await createPerson(service, 'owner');
  await agent.call('PUT', '/api/v2/secrets/pay_key', { value: SECRET });
  await putPolicy(agent, largeRefunds({ approval: { quorum: 1, expiresIn: 'PT2H' } }));
});
afterAll(async () => {
  await browser?.close();
});

async function park(): Promise<{ invocationId: string; approval: Approval; path: string; place: string }> {
  const name = `refund.${randomUUID().slice(0, 8)}`;
  const place = `/echo?action=${name}`;
  const reply = await agent.post('/api/v2/actions', {
    name,
    adapter: {
      type: 'http.request',
      config: {
        method: 'POST',
        url: `${target.baseUrl}${place}&for={{invocation.id}}`,
        headers: { authorization: 'Bearer {{secret:pay_key}}', 'content-type': 'text/plain; charset=utf-8' },
        body: '{{input.reason}}',
        idempotencyHeader: 'idempotency-key',
      },
    },
    impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }],
  });
  expect(reply.status, reply.text).toBe(201);
  const { status, invocation } = await invoke(agent, name, { input: { reason: REASON, amount: 60_000 } });
  expect(status).toBe(202);
  const approval = await readApproval(agent, invocation.approvalId);
  const path = approvalPath(service.database.tenants.production.environmentId, approval.id);
  expect(approval.url).toBe(`https://runtime.example.com${path}`);
  return { invocationId: invocation.id, approval, path, place };
}

async function requestsTo(place: string): Promise<SeenRequest[]> {
  return (await target.requests('/echo')).filter(({ url }) => url.startsWith(place));
}

/** A new context is a new browser to the service. What breaks the policy of the page is an error in its console. */
async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}) {
  if (browser === undefined) throw new Error('there is no browser');
  const context: BrowserContext = await browser.newContext({ baseURL: service.baseUrl, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(path);
  return { page, complaints, close: () => context.close() };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(owner.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  test.each([true, false])(
    'signs in, approves, and the target gets byte for byte what the page showed (script: %s)',
    async (javaScriptEnabled) => {
      const { invocationId, approval, path, place } = await park();
      const { page, complaints, close } = await open(path, { javaScriptEnabled });
      await signIn(page);
      await page.waitForURL(`**${path}`);
      const shown = {
        method: await page.locator('#request-method').textContent(),
        url: await page.locator('#request-url').textContent(),
        body: await page.locator('#request-body').textContent(),
        headers: await page
          .locator('#request-headers tr')
          .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('code')].map((code) => code.textContent))),
      };
      expect(await requestsTo(place)).toEqual([]);
      await page.getByLabel('Note').fill('Checked with the customer.');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('You have approved this.').waitFor();
      // The page loads again without a script, until the invocation has settled.
      await page.getByText('Done: accepted by the provider').waitFor();
      await page.getByText('HTTP 200 from the provider').waitFor();
      await untilStatus(agent, invocationId, ['succeeded']);

      const [sent, ...others] = await requestsTo(place);
      expect(others).toEqual([]);
      expect(sent?.method).toBe(shown.method);
      expect(`${target.baseUrl}${sent?.url}`).toBe(shown.url);
      expect(shown.body).toBe(REASON);
      expect(Buffer.from(sent?.body ?? '')).toEqual(Buffer.from(shown.body ?? ''));
      expect(shown.headers.map(([name]) => name)).toEqual(expect.arrayContaining(['authorization', 'idempotency-key']));
      for (const [name = '', value = ''] of shown.headers) {
        expect(sent?.headers[name?.toLowerCase() ?? ''], name ?? '').toBe(value?.replace('{{secret:pay_key}}', SECRET));
      }
      const { decisions } = await readApproval(agent, approval.id);
      expect(decisions).toMatchObject([
        { actor: { type: 'user', id: owner.userId }, note: 'Checked with the customer.' },
      ]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('denies with a note, and goes back without sending the form again', async () => {
    const { invocationId, path, place } = await park();
    const { page, close } = await open('/console');
    await signIn(page);
    await page.locator(`a[href="${path}"]`).click();
    await page.getByLabel('Note').fill('Not today.');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('You have denied this.').waitFor();
    await page.reload();
    await page.getByText('You have denied this.').waitFor();
    await untilStatus(agent, invocationId, ['denied']);
    expect(await requestsTo(place)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await close();
  });

  test.each(['light', 'dark'] as const)(
    'has no barrier that axe finds, on a telephone too (%s)',
    async (colorScheme) => {
      const { path } = await park();
      const { page, complaints, close } = await open(path, { colorScheme, viewport: { width: 360, height: 740 } });
      expect(await barriers(page)).toEqual([]);
      await signIn(page);
      await page.waitForURL(`**${path}`);
      expect(await barriers(page)).toEqual([]);
      await page.goto('/console');
      expect(await barriers(page)).toEqual([]);
      await page.goto(path);
      // Nothing is wider than the screen: who decides never scrolls sideways past what will be sent.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 22, 26)');
      expect(complaints).toEqual([]);
      await close();
    },
  );
});
