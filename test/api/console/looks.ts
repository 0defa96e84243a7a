import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { watchBarriers } from '../pages/browser-support.ts';
import { undocumented } from './documented.ts';
import { screensOf } from './screens.ts';
import { moved, picture, settled, visit } from './support.ts';
import type { World } from './world.ts';

const DESKTOP = 1_280;
const NARROW = 320;
const HEIGHT = 800;

/** What is looked at, in which order: each changes one thing, so that a page is laid out as few times as possible. */
const LOOKS = [
  { name: 'light', width: DESKTOP, colorScheme: 'light', forcedColors: 'none' },
  { name: 'dark', width: DESKTOP, colorScheme: 'dark', forcedColors: 'none' },
  { name: 'dark narrow', width: NARROW, colorScheme: 'dark', forcedColors: 'none' },
  { name: 'light narrow', width: NARROW, colorScheme: 'light', forcedColors: 'none' },
  { name: 'forced narrow', width: NARROW, colorScheme: 'light', forcedColors: 'active' },
  { name: 'forced', width: DESKTOP, colorScheme: 'light', forcedColors: 'active' },
] as const;

/** axe costs most. Colours are the same at each width and the arrangement in each colour, so that two looks show it both. */
const LOOKS_OF_AXE: Readonly<Record<string, ReadonlySet<string>>> = {
  data: new Set(['light', 'dark narrow']),
  // A notice is the same in every screen.
  others: new Set(['dark narrow']),
};

/** The console asks twice more, a second and then two seconds later. */
const RETRIES_MS = 3_000;
/** What no screen shows is kept for five minutes. */
const FORGOTTEN_MS = 6 * 60_000;
const REQUEST_ID = 'req_of_the_test';
/** What a screen needs to be one at all. */
const ALWAYS = /\/api\/v2\/(auth\/session|workspaces\/[^/]+\/environments|console\/stream)(\?|$)/;

interface State {
  answer: (reply: unknown) => { status: number; headers?: Record<string, string>; json: unknown };
  /** What a screen says then, beside the id of the request. */
  says?: string;
  /** The words of the service. */
  message?: string;
  /** The console asks again by itself before it says so, and a person can. */
  isRetried?: true;
}

/** States other than data: how each request is answered, and the words that a screen has then. */
const STATES: Readonly<Record<string, State>> = {
  empty: { answer: (reply) => ({ status: 200, json: emptied(reply) }) },
  failed: {
    answer: () => refusal(503, 'SERVICE_UNAVAILABLE', 'The database does not answer.'),
    says: 'This could not be loaded',
    message: 'The database does not answer.',
    isRetried: true,
  },
  forbidden: {
    answer: () => refusal(403, 'AUTHORIZATION_ERROR', 'This needs the role admin.'),
    says: 'You may not see this',
    message: 'This needs the role admin.',
  },
};

function refusal(status: number, code: string, message: string) {
  const json = { success: false, error: { code, message }, requestId: REQUEST_ID };
  return { status, headers: { 'X-Request-Id': REQUEST_ID }, json };
}

/** A list without entries; a record stays as it is. */
function emptied(reply: unknown): unknown {
  const { data, pagination } = reply as { data?: unknown; pagination?: object };
  return Array.isArray(data) && pagination !== undefined
    ? { success: true, data: [], pagination: { ...pagination, total: 0 } }
    : reply;
}

/** Within the application, as a click on a link goes: the script of the page is loaded once. */
async function go(page: Page, path: string, isRetried = false): Promise<void> {
  const push = `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`;
  // Another filter of a screen keeps its heading.
  const isSame = new URL(page.url()).pathname === path.replace(/\?.*/, '');
  if (isSame) {
    await page.evaluate(push);
    await page.waitForURL(`**${path}`);
  } else await moved(page, () => page.evaluate(push), `**${path}`);
  if (isRetried) await waitOutRetries(page);
  await settled(page);
}

/** The time of the page runs fast until nothing loads any more. */
async function waitOutRetries(page: Page): Promise<void> {
  const isLoading = async (): Promise<boolean> => {
    await page.clock.runFor(RETRIES_MS);
    return (await page.locator('.skeleton').count()) > 0;
  };
  await expect.poll(isLoading).toBe(false);
}

interface Looked {
  found: string[];
  /** Looks at the screen that is shown, in every look. */
  look(name: string): Promise<void>;
}

async function looker(page: Page, state: string): Promise<Looked> {
  const barriers = await watchBarriers(page);
  const found: string[] = [];
  const look = async (name: string): Promise<void> => {
    for (const { name: as, width, colorScheme, forcedColors } of LOOKS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await page.emulateMedia({ colorScheme, forcedColors });
      const where = `${name} (${state}, ${as})`;
      if (LOOKS_OF_AXE[state === 'data' ? state : 'others']?.has(as) === true) {
        found.push(...(await barriers()).map((barrier) => `${where}: ${barrier}`));
      }
      const scrolled = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      if (scrolled > width) found.push(`${where}: is ${scrolled} px wide`);
      if (as === 'light' || as === 'dark narrow') await picture(page, `${name}-${state}-${as.replace(' ', '-')}`);
    }
  };
  return { found, look };
}

/** Every screen × desktop and 320 px × light, dark, forced colours × data, empty, error, forbidden. */
export function looksOfEveryScreen(world: World): void {
  test('every screen has no barrier, no sideways scroll and nothing but text of what others wrote', async () => {
    const { browser, service, owner, seeded, at, environmentId } = world;
    const { page, complaints, calls, close } = await visit(browser, service, owner, at('/policies/test'));
    await settled(page);
    const { found, look } = await looker(page, 'data');
    for (const { name, path, hostile } of screensOf(seeded, environmentId)) {
      await go(page, path);
      await look(name);
      if (hostile !== undefined) await page.getByText(hostile).first().waitFor({ state: 'attached' });
      const made = await page.locator('main :is(img, script, iframe, object, embed)').count();
      if (made > 0) found.push(`${name}: text became ${made} elements`);
      found.push(...complaints.splice(0).map((complaint) => `${name}: ${complaint}`));
    }
    expect(found).toEqual([]);
    expect(undocumented(calls)).toEqual([]);
    // Nothing of what an owner sees is refused to them.
    expect(calls.filter(({ status, path }) => status >= 400 && path !== '/readyz')).toEqual([]);
    await close();
  });

  test.each(Object.keys(STATES))('every screen has no barrier and no sideways scroll where it is %s', async (state) => {
    const { browser, service, owner, seeded, at, environmentId } = world;
    const { answer, says, message = '', isRetried = false } = STATES[state] ?? { answer: () => refusal(500, '', '') };
    const { page, complaints, close } = await visit(browser, service, owner, at('/policies/test'));
    if (isRetried) await page.clock.install();
    await settled(page);
    let isRefused = true;
    await page.route('**/api/v2/**', async (route) => {
      if (!isRefused || ALWAYS.test(route.request().url())) return route.continue();
      const reply = says === undefined ? await route.fetch().then((real) => real.json() as Promise<unknown>) : null;
      return route.fulfill(answer(reply));
    });
    const { found, look } = await looker(page, state);
    for (const { name, path, needs } of screensOf(seeded, environmentId)) {
      await go(page, path, isRetried);
      await look(name);
      const isSaid = says === undefined || needs === 'nothing' || (await saysWhy(page, says, message));
      if (!isSaid) found.push(`${name}: does not say "${says}", why, and the id of the request`);
      if (isRetried && needs !== 'nothing') {
        isRefused = false;
        await tryAgain(page, says ?? '');
        isRefused = true;
        // The next screen finds nothing of what was read now.
        await go(page, at('/policies/test'));
        await page.clock.fastForward(FORGOTTEN_MS);
      }
      found.push(...complaints.splice(0).map((complaint) => `${name}: ${complaint}`));
    }
    expect(found).toEqual([]);
    await close();
  });
}

async function saysWhy(page: Page, says: string, message: string): Promise<boolean> {
  const notice = page
    .locator('.notice', { hasText: says })
    .filter({ hasText: message })
    .filter({ hasText: REQUEST_ID });
  return (await notice.count()) > 0;
}

/** Each part of the screen that failed is asked for again, and is there. */
async function tryAgain(page: Page, says: string): Promise<void> {
  const failures = page.locator('.notice', { hasText: says });
  const buttons = failures.getByRole('button', { name: 'Try again' });
  // Two parts may show one answer: a button may be gone before it is pressed.
  await expect
    .poll(async () => {
      await buttons.evaluateAll(pressAll);
      return failures.count();
    })
    .toBe(0);
  await settled(page);
}

/** Runs in the page, whose types the project does not have. */
function pressAll(buttons: unknown[]): void {
  for (const button of buttons) (button as { click(): void }).click();
}
