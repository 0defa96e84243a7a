import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { barriers } from '../pages/browser-support.ts';
import { type DocsServer, startDocsServer } from './docs-server.ts';

/** The documentation in a real browser: on a desk and on the narrowest telephone, in light and in dark. */

const executable = chromiumPath();
const DESK = { width: 1400, height: 900 };
const TELEPHONE = { width: 320, height: 640 };
/** One of each kind: prose, wide tables, long code, a generated page, results, and a page that is not there. */
const PAGES = [
  '/docs/',
  '/docs/api',
  '/docs/quickstart',
  '/docs/reference/operations/actions.invoke',
  '/docs/search?q=receipt',
  '/docs/nowhere',
];

let server: DocsServer;
let browser: Browser | undefined;
beforeAll(async () => {
  server = await startDocsServer();
  if (executable !== null) browser = await startBrowser(executable);
});
afterAll(async () => {
  await browser?.close();
});

async function open(options: Parameters<Browser['newContext']>[0]) {
  if (browser === undefined) throw new Error('there is no browser');
  const context = await browser.newContext({ baseURL: server.baseUrl, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The page that is not there is a 404, which the browser says.
    if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text());
  });
  return { page, complaints, close: () => context.close() };
}

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  test.each([
    ['light', DESK],
    ['dark', DESK],
    ['light', TELEPHONE],
    ['dark', TELEPHONE],
  ] as const)('axe finds no barrier, and nothing is wider than the screen (%s, %o)', async (colorScheme, viewport) => {
    const { page, complaints, close } = await open({ colorScheme, viewport });
    for (const path of PAGES) {
      await page.goto(path);
      expect([path, await barriers(page)]).toEqual([path, []]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect([path, Number(width) <= viewport.width]).toEqual([path, true]);
    }
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 22, 26)');
    expect(complaints).toEqual([]);
    await close();
  });

  test('the first screen says what it is, what it guarantees and how to run it, and the picture is whole', async () => {
    const { page, close } = await open({ viewport: { width: 1280, height: 800 } });
    await page.goto('/docs/');
    const lastCommand = await page.locator('article pre:not(.drawing)').last().boundingBox();
    expect((lastCommand?.y ?? Infinity) + (lastCommand?.height ?? 0)).toBeLessThanOrEqual(800);
    const [shown, whole] = (await page.evaluate(
      "(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.querySelector('.drawing'))",
    )) as [number, number];
    expect(whole).toBe(shown);
    await close();
  });

  test('a reader searches, opens a result, follows an anchor and goes on to the next page, without script', async () => {
    const { page, complaints, close } = await open({ viewport: DESK, javaScriptEnabled: false });
    await page.goto('/docs/');
    await page.getByRole('searchbox').fill('idempotancy key');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('main').getByRole('link').first().click();
    await page.waitForURL('**/docs/idempotency');
    // On a desk the sidebar and the table of contents are open.
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first().click();
    expect(new URL(page.url()).hash).not.toBe('');
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Idempotency' })
      .first()
      .waitFor();
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click();
    await page.waitForURL((url) => url.pathname !== '/docs/idempotency');
    expect(complaints).toEqual([]);
    await close();
  });

  test('on a telephone the list of pages opens by a touch, and the keyboard reaches the content first', async () => {
    const { page, close } = await open({ viewport: TELEPHONE });
    await page.goto('/docs/idempotency');
    const sidebar = page.getByRole('navigation', { name: 'Documentation' });
    expect(await sidebar.getByRole('link').first().isVisible()).toBe(false);
    await sidebar.getByText('All pages').click();
    await sidebar.getByRole('link', { name: 'Idempotency' }).first().waitFor();
    await page.keyboard.press('Home');
    await page.reload();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    await close();
  });
});
