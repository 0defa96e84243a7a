import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { settled, visit } from './support.ts';
import type { World } from './world.ts';

/** How soon a person can work who opens the console for the first time: its cache is empty. */

const SCRIPT_SECONDS_MAX = 1;
/** The design says a second. A test machine is shared, so the clock alone is not asked for more than this. */
const BUSY_SECONDS_MAX = 15;
/** Below the budgets of `http.test.ts`, plus the page itself and what its texts compress to. */
const BYTES_MAX = 200_000;
const READS = '**/api/v2/**';
/** Whose answer tells which environments the person has, and the stream, which is no data. */
const NOT_WAITED_FOR = /\/(environments\?|console\/stream)/;

interface FirstScreen {
  name: string;
  path: string;
  /** What it reads, by the end of the path. */
  reads: readonly string[];
  /** What a person can act on as soon as it is there. */
  usable: string;
}

const FIRST_SCREENS: readonly FirstScreen[] = [
  {
    name: 'overview',
    path: '/overview',
    reads: ['/approvals', '/effects', '/dlq', '/impact-limits', '/notifications', '/session'],
    usable: '.needs .need a',
  },
  { name: 'effects', path: '/effects', reads: ['/effects', '/session'], usable: 'table.rows tbody tr a' },
];

const pathOf = (request: Request): string => new URL(request.url()).pathname;

export function firstScreens(world: World): void {
  test.each(FIRST_SCREENS)(
    'the $name asks for all that it shows before any answer, and is usable by those answers alone',
    async ({ path, reads, usable }) => {
      const { browser, service, owner, at } = world;
      const { page, complaints, close } = await visit(browser, service, owner, '/console/sign-in');
      const asked = new Set<string>();
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(READS, async (route) => {
        asked.add(pathOf(route.request()));
        // It would take a second round trip: the screen is usable without it.
        if (NOT_WAITED_FOR.test(route.request().url())) return;
        await answered;
        await route.continue();
      });
      await page.goto(at(path));
      const lacks = (): string[] => reads.filter((read) => ![...asked].some((one) => one.endsWith(read)));
      await expect.poll(lacks).toEqual([]);
      answer();
      const link = page.locator(usable).first();
      const leadsTo = await link.getAttribute('href');
      await link.click();
      await page.waitForURL(`**${leadsTo}`, { waitUntil: 'commit' });
      expect(complaints).toEqual([]);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await close();
    },
  );

  test.each(FIRST_SCREENS)(
    'the $name is usable within a second of script, by few bytes and by no file that holds up another',
    async ({ name, path, usable }) => {
      const { browser, service, owner, at } = world;
      const { page, complaints, close } = await visit(browser, service, owner, 'about:blank');
      const session = await page.context().newCDPSession(page);
      await session.send('Network.clearBrowserCache');
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.addInitScript(markUsable, usable);
      await page.goto(at(path));
      await page.locator(usable).first().waitFor();
      const { metrics } = await session.send('Performance.getMetrics');
      const { usableMs, files } = await measured(page);
      console.log(
        name,
        usableMs,
        files.length,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      const spent = metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN;
      expect(spent).toBeLessThan(SCRIPT_SECONDS_MAX);
      expect(usableMs / 1_000).toBeLessThan(BUSY_SECONDS_MAX);
      expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(BYTES_MAX);
      expect(new Set(files.map(({ path: file }) => file))).toEqual(expectedFiles(`routes/${name}.tsx`, files));
      // The page's own style sheets, and nothing else, come before the first paint.
      expect(files.filter(({ isBlocking, path: file }) => isBlocking && !file.endsWith('.css'))).toEqual([]);
      expect(complaints).toEqual([]);
      await settled(page);
      await close();
    },
  );
}

interface LoadedFile {
  path: string;
  bytes: number;
  isBlocking: boolean;
}

interface Chunk {
  file: string;
  imports?: string[];
}

/** What the shell names, and the screen with what it imports. A file that another one had to ask for first is none of these. */
function expectedFiles(screen: string, files: readonly LoadedFile[]): Set<string> {
  const manifest = JSON.parse(readFileSync('dist/console/manifest.json', 'utf8')) as Record<string, Chunk>;
  const wanted = new Set<string>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined || wanted.has(`/console/${chunk.file}`)) return;
    wanted.add(`/console/${chunk.file}`);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  add('main.tsx');
  add(screen);
  for (const { path } of files) if (path.endsWith('.css')) wanted.add(path);
  return wanted;
}

/** Marks when something to act on is first there. It runs in the page, before everything else. */
function markUsable(selector: string): void {
  const { document, performance, requestAnimationFrame } = globalThis as unknown as {
    document: { querySelector(selector: string): unknown };
    performance: { mark(name: string): void };
    requestAnimationFrame(callback: () => void): void;
  };
  const look = (): void => {
    if (document.querySelector(selector) === null) requestAnimationFrame(look);
    else performance.mark('usable');
  };
  requestAnimationFrame(look);
}

/** The browser's own marks: milliseconds since the navigation began, and what was loaded before. */
function measured(page: Page): Promise<{ usableMs: number; files: LoadedFile[] }> {
  return page.evaluate(`(() => {
    const [usable] = performance.getEntriesByName('usable');
    const files = performance.getEntriesByType('resource')
      .filter(({ startTime, initiatorType }) => startTime < usable.startTime && initiatorType !== 'fetch')
      .map(({ name, encodedBodySize, renderBlockingStatus }) => (
        { path: new URL(name).pathname, bytes: encodedBodySize, isBlocking: renderBlockingStatus === 'blocking' }))
      .filter(({ path }) => path.startsWith('/console/'));
    return { usableMs: usable.startTime, files };
  })()`) as Promise<{ usableMs: number; files: LoadedFile[] }>;
}
