import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STYLE, STYLE_PATH } from '../../../api/html/style.ts';
import { chromiumPath, NO_CHROMIUM, startBrowser } from '../../harness/browser.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { barriers } from './browser-support.ts';
import { pageOf, SAMPLES } from './samples.ts';

/** The page of an approval as a browser lays it out: its height, where the buttons are, what axe finds. Every sample, without a stack. */
const executable = chromiumPath();
const DESKTOP = { width: 1_200, height: 800 };
const TALL = { width: 1_200, height: 3_000 };
const TELEPHONE = { width: 375, height: 667 };
const NARROWEST = { width: 320, height: 568 };

let browser: Browser | undefined;
beforeAll(async () => {
  if (executable !== null) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

interface Look {
  viewport: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
}

async function opened(name: string, { viewport, colorScheme = 'light' }: Look): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  const page = await browser.newPage({ viewport, colorScheme });
  page.setDefaultTimeout(PATIENCE_MS);
  const html = pageOf(SAMPLES[name] ?? {});
  await page.route('**/*', (route) =>
    new URL(route.request().url()).pathname === STYLE_PATH
      ? route.fulfill({ contentType: 'text/css', body: STYLE })
      : route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }),
  );
  await page.goto('http://page.test/');
  return page;
}

const boxOf = async (page: Page, name: string) => {
  const box = await page.getByRole('button', { name }).boundingBox();
  if (box === null) throw new Error(`${name} is not shown`);
  return box;
};
const sizeOf = (page: Page): Promise<{ width: number; height: number }> =>
  page.locator('html').evaluate((root) => ({ width: root.scrollWidth, height: root.scrollHeight }));

describe.skipIf(executable === null)(`in a browser${executable === null ? ` (${NO_CHROMIUM})` : ''}`, () => {
  test.each([DESKTOP, TALL])(
    'a request of three fields is short, and Approve within reach ($height px high)',
    async (viewport) => {
      const page = await opened('http-request', { viewport });
      const { height } = await sizeOf(page);
      // A page is at least as high as the window.
      expect(height).toBeLessThanOrEqual(Math.max(2_000, viewport.height));
      const { y, height: high } = await boxOf(page, 'Approve');
      expect(y + high).toBeLessThanOrEqual(1_000);
      // The request stays folded until somebody opens it.
      expect(await page.locator('#request-url').isVisible()).toBe(false);
      await page.getByText('Exactly these bytes').click();
      expect(await page.locator('#request-url').isVisible()).toBe(true);
      await page.close();
    },
  );

  test.each([TELEPHONE, NARROWEST])(
    'on a telephone the decision is a bar at the bottom ($width px)',
    async (viewport) => {
      const page = await opened('hostile', { viewport });
      for (const name of ['Approve', 'Deny']) {
        const { x, y, width, height } = await boxOf(page, name);
        expect(y + height).toBeLessThanOrEqual(viewport.height);
        expect(y).toBeGreaterThan(viewport.height * 0.7);
        expect([x >= 0, x + width <= viewport.width]).toEqual([true, true]);
      }
      expect((await page.locator('.decision').boundingBox())?.height).toBeLessThan(viewport.height * 0.3);
      await page.close();
    },
  );

  test('scrolling keeps the decision in view beside a long request', async () => {
    const page = await opened('hostile', { viewport: DESKTOP });
    await page.mouse.wheel(0, 1_500);
    await expect.poll(() => page.evaluate('scrollY').catch(() => 0)).toBeDefined();
    const { y, height } = await boxOf(page, 'Approve');
    expect(y + height).toBeLessThanOrEqual(DESKTOP.height);
    await page.close();
  });

  test.each(Object.keys(SAMPLES))('axe finds nothing, and nothing scrolls sideways: %s', async (name) => {
    for (const look of [
      { viewport: DESKTOP, colorScheme: 'light' },
      { viewport: NARROWEST, colorScheme: 'dark' },
      { viewport: TELEPHONE, colorScheme: 'light' },
    ] as const) {
      const page = await opened(name, look);
      expect((await sizeOf(page)).width, JSON.stringify(look)).toBeLessThanOrEqual(look.viewport.width);
      await page.locator('details').evaluate((details) => details.setAttribute('open', ''));
      expect(await barriers(page), JSON.stringify(look)).toEqual([]);
      await page.close();
    }
  });

  test('prints what is agreed to, opened, without buttons', async () => {
    const page = await opened('http-request', { viewport: DESKTOP });
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Approve' }).isVisible()).toBe(false);
    expect(await page.locator('#request-body').isVisible()).toBe(true);
    await page.close();
  });
});
