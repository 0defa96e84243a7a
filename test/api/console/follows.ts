import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { invoke } from '../invocations/support.ts';
import { drawn, settled, visit } from './support.ts';
import type { World } from './world.ts';

const STREAM = '/api/v2/console/stream';
const told = (event: string): string => `event: ready\ndata: {}\n\n${event}\n\n`;
/** Changes may be missed: all that is shown is read again. */
const EVERYTHING = told('data: {"topic":"everything","environmentId":null}');
const TABS = 8;
const POLL_MS = 15_000;
/** Two minutes of them, in which analytics is read once. */
const POLLS = 8;

/** Calls of the page from now on, by path. */
function callsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
}

/** So many polls happen, one after the other, as in a tab that nobody touches. */
async function idle(page: Page, polls: number): Promise<void> {
  for (let at = 0; at < polls; at++) {
    await page.clock.runFor(POLL_MS);
    await page.waitForLoadState('networkidle');
  }
}

/** What a screen hears and reads by itself, in one tab and in eight. */
export function followsWhatHappens(world: World): void {
  test('eight tabs load, share one stream, show a change all of them, and keep one when its tab closes', async () => {
    const { browser, service, owner, at } = world;
    const first = await visit(browser, service, owner, '/console/sign-in');
    const calls = [callsOf(first.page)];
    await first.page.goto(at('/effects'));
    await first.page.getByRole('button', { name: 'Live' }).waitFor();
    const tabs = [first.page];
    while (tabs.length < TABS) {
      const tab = await first.page.context().newPage();
      calls.push(callsOf(tab));
      await tab.goto(at('/effects'));
      tabs.push(tab);
    }
    for (const tab of tabs) {
      await settled(tab);
      await tab.getByRole('button', { name: 'Live' }).waitFor();
    }
    const streams = (): number => calls.flat().filter((path) => path === STREAM).length;
    expect(streams()).toBe(1);
    await invoke(service, 'refund.create');
    for (const tab of tabs) await tab.getByRole('button', { name: /^\d+ new$/ }).waitFor();
    await first.page.close();
    await expect.poll(streams).toBe(2);
    await invoke(service, 'refund.create');
    for (const tab of tabs.slice(1)) await tab.getByRole('button', { name: /^[2-9] new$/ }).waitFor();
    expect(streams()).toBe(2);
    await first.close();
  });

  test('an idle tab asks nothing where the stream tells all, and less than once a second elsewhere', async () => {
    const { browser, service, owner, at } = world;
    const { page, close } = await visit(browser, service, owner, at('/effects'));
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await page.clock.install();
    await page.reload();
    await settled(page);
    await page.getByRole('button', { name: 'Live' }).waitFor();
    const quiet = callsOf(page);
    await page.clock.runFor(POLLS * POLL_MS);
    await page.waitForLoadState('networkidle');
    expect(quiet).toEqual([]);
    await page.goto(at('/overview'));
    await settled(page);
    await page.waitForLoadState('networkidle');
    const busy = callsOf(page);
    await idle(page, POLLS);
    expect(busy.length).toBeGreaterThan(0);
    expect((busy.length / (POLLS * POLL_MS)) * 1_000).toBeLessThan(0.5);
    await close();
  });

  test('reads every 15 seconds without a stream, and all of it when the stream is back', async () => {
    const { browser, service, owner, at } = world;
    const { page, close } = await visit(browser, service, owner, '/console/sign-in');
    await page.clock.install();
    await page.route(`**${STREAM}`, (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(at('/effects'));
    await settled(page);
    await page.getByRole('button', { name: 'Every 15 s' }).waitFor();
    await invoke(service, 'refund.create');
    const fresh = page.getByRole('button', { name: /^\d+ new$/ });
    expect(await fresh.count()).toBe(0);
    await page.clock.runFor(POLL_MS);
    await fresh.waitFor();
    await page.unroute(`**${STREAM}`);
    await page.clock.runFor(2 * POLL_MS);
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await close();
  });

  test('reads everything when the stream says that changes may be missed, and signs in again when the session ended', async () => {
    const { browser, service, owner, at } = world;
    const { page, close } = await visit(browser, service, owner, '/console/sign-in');
    let says = EVERYTHING;
    await page.route(`**${STREAM}`, (route) =>
      route.fulfill({ status: 200, contentType: 'text/event-stream', body: says }),
    );
    const missed = page.waitForResponse((reply) => reply.url().includes('/actions/effects?'));
    await page.goto(at('/effects?grade=unknown'));
    await missed;
    await settled(page);
    // The browser opens the stream again by itself; each time it hears `everything`.
    await page.waitForResponse((reply) => reply.url().includes('/actions/effects?'));
    says = told('event: end\ndata: {"reason":"session_ended"}');
    await page.context().clearCookies();
    await page.waitForURL('**/console/sign-in?next=*');
    expect(new URL(page.url()).searchParams.get('next')).toBe(at('/effects?grade=unknown'));
    await close();
  });

  test('a read that was refused and is made again says why until it ends', async () => {
    const { browser, service, owner, at } = world;
    const { page, close } = await visit(browser, service, owner, '/console/sign-in');
    await page.route(`**${STREAM}`, (route) =>
      route.fulfill({ status: 200, contentType: 'text/event-stream', body: EVERYTHING }),
    );
    let asked = 0;
    await page.route('**/api/v2/actions/effects?*', (route) => {
      asked += 1;
      const error = { code: 'AUTHORIZATION_ERROR', message: 'This needs the role admin.' };
      // The second is never answered.
      return asked === 1 ? route.fulfill({ status: 403, json: { success: false, error } }) : undefined;
    });
    await page.goto(at('/effects'));
    const notice = page.locator('.notice', { hasText: 'This needs the role admin.' });
    await notice.waitFor();
    await expect.poll(() => asked).toBe(2);
    await drawn(page);
    expect([await notice.count(), await page.locator('.skeleton').count()]).toEqual([1, 0]);
    await close();
  });
}
