import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BuiltConsole } from '../../../api/console/built-console.ts';
import { createPerson } from '../harness/people.ts';
import { startTestApi } from '../harness/test-api.ts';
import { screensOf } from './screens.ts';
import type { Seeded } from './seed.ts';

/** What is served of the console, without a browser: its shell, its files, and how large they are. */
const api = await startTestApi();
const owner = await createPerson(api, 'owner');
const { entry } = new BuiltConsole();
const SHELL = `/console/e/${api.database.tenant.environmentId}/overview`;
const KB = 1_000;

interface Chunk {
  file: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}

const MANIFEST = JSON.parse(readFileSync('dist/console/manifest.json', 'utf8')) as Record<string, Chunk>;

/** Bytes of a file as gzip, which every browser takes. */
function gzipped(file: string): number {
  return readFileSync(`dist/console/${file}.gz`).length;
}

function filesOf(key: string, seen = new Set<string>()): Set<string> {
  const chunk = MANIFEST[key];
  if (chunk === undefined || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

const sum = (files: Iterable<string>): number => [...files].reduce((bytes, file) => bytes + gzipped(file), 0);

describe('the shell', () => {
  test('is one page for every screen, under a policy that lets no string become a script', async () => {
    const { status, headers, text } = await owner.call('GET', SHELL);
    expect(status).toBe(200);
    const policy = headers.get('Content-Security-Policy');
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
    expect(text).not.toContain('style=');
    expect(text).toMatch(/<noscript>.*href="\/console".*<\/noscript>/);
    const others = await Promise.all(
      ['/console/settings/keys', '/console/billing', '/console/welcome'].map((path) => owner.call('GET', path)),
    );
    expect(others.map((other) => other.text)).toEqual([text, text, text]);
  });

  test('sends a browser without a session to the sign-in, which comes back', async () => {
    const { status, headers } = await api.call('GET', `${SHELL}?grade=unknown`);
    expect(status).toBe(303);
    expect(headers.get('Location')).toBe(
      `/console/sign-in?${new URLSearchParams({ next: `${SHELL}?grade=unknown` }).toString()}`,
    );
  });

  test('leaves the pages without a script to themselves', async () => {
    const inbox = await owner.call('GET', '/console');
    expect(inbox.text).not.toContain('<script');
    expect((await owner.call('GET', '/console/eh')).status).toBe(404);
    expect((await owner.call('POST', SHELL)).status).toBe(404);
  });
});

describe('the files', () => {
  test('are immutable, and compressed by what the browser takes', async () => {
    const [br, gzip, plain] = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const reply = await fetch(`${api.baseUrl}${entry.script}`, { headers: { 'Accept-Encoding': encoding } });
        expect(reply.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
        expect(reply.headers.get('Vary')).toContain('Accept-Encoding');
        return { encoding: reply.headers.get('Content-Encoding'), text: await reply.text() };
      }),
    );
    expect([br?.encoding, gzip?.encoding, plain?.encoding]).toEqual(['br', 'gzip', null]);
    expect(br?.text).toBe(plain?.text);
    expect(gzip?.text).toBe(plain?.text);
    const name = entry.script.slice('/console/'.length);
    const built = readFileSync(`dist/console/${name}`);
    expect(brotliDecompressSync(readFileSync(`dist/console/${name}.br`))).toEqual(built);
    expect(gunzipSync(readFileSync(`dist/console/${name}.gz`))).toEqual(built);
  });

  test('are those of the build and no others', async () => {
    for (const path of [
      '/console/assets/nothing.js',
      '/console/assets/../manifest.json',
      '/console/assets/%2e%2e/manifest.json',
    ]) {
      expect((await owner.call('GET', path)).status, path).toBe(404);
    }
  });
});

describe('the budgets', () => {
  const first = filesOf('main.tsx');
  const sheets = entry.sheets.map((sheet) => sheet.slice('/console/'.length));

  test('keep what the first screen needs below 160 kB', () => {
    const needed = sum(new Set([...first, ...sheets, ...filesOf('routes/overview.tsx')]));
    expect(needed).toBeGreaterThan(sum(first));
    expect(needed).toBeLessThan(160 * KB);
  });

  test('keep each further screen below 30 kB', () => {
    const screens = Object.entries(MANIFEST).filter(([, { isDynamicEntry }]) => isDynamicEntry === true);
    expect(screens.length).toBeGreaterThan(40);
    for (const [key] of screens) {
      const own = [...filesOf(key)].filter((file) => !first.has(file));
      expect(sum(own), key).toBeLessThan(30 * KB);
    }
  });
});

describe('the table of screens', () => {
  const source = readFileSync('console/screens.ts', 'utf8');
  const screens = [...source.matchAll(/of\(\s*'([^']+)'/g)].map(([, path = '']) => path);
  const isAt = (screen: string, path: string): boolean =>
    new RegExp(`^${screen.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path);

  test('has no screen that the browser test leaves out', () => {
    const ids = new Proxy({} as Seeded, { get: () => 'id' });
    const visited = screensOf(ids, 'id').map(({ path }) => path.replace('/console', '').replace(/\?.*/, ''));
    // It shows nothing of its own: it leads on to an environment.
    const unvisited = screens.filter((screen) => screen !== '/e' && !visited.some((path) => isAt(screen, path)));
    expect(unvisited).toEqual([]);
    expect(screens.length).toBeGreaterThan(40);
  });

  test('has a screen for each area of the rail', () => {
    const areas = [...source.matchAll(/\{ title: '[^']+', path: '([^']+)'/g)].map(([, path = '']) => path);
    expect(areas.length).toBeGreaterThan(25);
    expect(
      areas.filter((area) => !screens.some((screen) => isAt(screen, area) || isAt(screen, `/e/id${area}`))),
    ).toEqual([]);
  });
});
