import { describe, expect, test } from 'vitest';
import { NAVIGATION } from '../../docs/navigation.ts';
import { OPERATIONS_ROUTE } from '../../domain/docs/code-routes.ts';
import type { NavigationEntry } from '../../domain/docs/navigation.ts';
import {
  misplacedPages,
  repeatedTitles,
  type Routes,
  unknownAddresses,
  unreadablePages,
} from './documentation-rules.ts';
import { loadTree, report } from './source-tree.ts';

const TREE = loadTree();

/** Addresses of other services that the pages speak of: the demo's payments, a provider, an address that stands for any. */
const OF_OTHERS = /^\/(refunds|emails|path|health)\b/;

/** What the listener answers beside the API description, by the beginning of its path. */
const BESIDE_THE_API =
  /^\/($|mcp|oauth\/|console|reference|docs|api\/docs\/|healthz|readyz|metrics|llms|openapi\.json|\.well-known\/)/;

const SERVICE = ((): Routes => {
  const { paths } = JSON.parse(TREE.find(({ path }) => path === 'docs/openapi.json')?.text ?? '') as {
    paths: Record<string, object>;
  };
  const templates = Object.entries(paths).map(([path, methods]) => ({
    segments: path.split('/').slice(1),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }));
  const isVariable = (segment: string): boolean => /[{$]/.test(segment);
  // A page may leave out how the path begins, where it says so; a function of a page adds it.
  const isEndOf = (path: readonly string[], given: readonly string[]): boolean => {
    const end = path.slice(-given.length);
    return (
      end.length === given.length &&
      end.every((one, at) => one === given[at] || isVariable(one) || isVariable(given[at] ?? ''))
    );
  };
  return {
    has: (method, path) => {
      if (BESIDE_THE_API.test(path) || OF_OTHERS.test(path)) return true;
      const given = path.replace(/[/.]$/, '').split('/').slice(1);
      return templates.some(
        ({ segments, methods }) => (method.startsWith('$') || methods.includes(method)) && isEndOf(segments, given),
      );
    },
  };
})();

function routesOf(entry: NavigationEntry): string[] {
  if (typeof entry === 'string') return [entry];
  const items = 'items' in entry ? entry.items.flatMap(routesOf) : [];
  return 'route' in entry && entry.route !== undefined ? [entry.route, ...items] : items;
}

describe('pages', () => {
  test('stand in the navigation, each once', () => {
    // The one page of the navigation that is made of what the code declares.
    const named = NAVIGATION.flatMap(routesOf).filter((route) => route !== OPERATIONS_ROUTE);
    expect(report(misplacedPages(TREE, named))).toBe('');
  });

  test('are short enough, begin with what they are for, and have no long line', () => {
    expect(report(unreadablePages(TREE))).toBe('');
  });

  test('have titles of their own', () => {
    expect(report(repeatedTitles(TREE))).toBe('');
  });

  test('list every command of package.json', () => {
    const { scripts } = JSON.parse(TREE.find(({ path }) => path === 'package.json')?.text ?? '') as { scripts: object };
    const page = TREE.find(({ path }) => path === 'docs/commands.md')?.text ?? '';
    const named = [...page.matchAll(/`npm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(Object.keys(scripts).filter((script) => !named.includes(script))).toEqual([]);
  });

  test('name addresses that the service answers', () => {
    expect(report(unknownAddresses(TREE, SERVICE))).toBe('');
  });
});

describe('what is wrong is told', () => {
  const LONG = `${'word '.repeat(24)}end`;
  const page = (text: string): { path: string; text: string }[] => [{ path: 'docs/api.md', text }];
  const NO_ROUTE: Routes = { has: () => false };

  test.each([
    ['a line that is too long', `# Page\n\nRead this.\n\n${LONG}\n`, /:5 has 123 characters in a line/],
    ['a command that is too long', `# Page\n\nRead this.\n\n\`\`\`sh\n${LONG}\n\`\`\`\n`, /:6 has 123 characters/],
    ['a page that is too long', `# Page\n\nRead this.\n\n${'x\n'.repeat(25_000)}`, /make two pages of it/],
    ['a page without its title', 'Read this.\n', /does not begin with its title/],
    ['a page that begins with a table', '# Page\n\n| a |\n| - |\n', /begin with a sentence/],
    [
      'a description that is too long',
      `# Page\n\nRead this${' and that'.repeat(40)}.\n`,
      /at most 300 describe a page/,
    ],
  ])('%s', (_name, text, message) => {
    expect(report(unreadablePages(page(text)))).toMatch(message);
  });

  test('a README that fills more than a screen', () => {
    const text = `# It\n\n\`\`\`sh\n${'code '.repeat(900)}\n\`\`\`\n\n${'word\n'.repeat(560)}`;
    expect(report(unreadablePages([{ path: 'README.md', text }]))).toMatch(/has 561 words of prose/);
    expect(report(unreadablePages([{ path: 'README.md', text: text.replace('word\n', '') }]))).not.toMatch(
      /words of prose/,
    );
  });

  test('nothing of a row of a table and of a long address', () => {
    const address = `https://example.com/${'a'.repeat(120)}`;
    expect(unreadablePages(page(`# Page\n\nYou can read.\n\n| ${LONG} |\n\n${address}\n`))).toEqual([]);
  });

  test.each([
    ['`GET /api/v2/nothing`', /names GET \/api\/v2\/nothing, which is no route/],
    ['```sh\ncurl -sS $BASE/api/v2/nothing -d x\n```', /names POST \/api\/v2\/nothing/],
    ['```sh\ncurl -sS -X PUT \\\n  "$BASE/api/v2/nothing/$ID?a=b"\n```', /names PUT \/api\/v2\/nothing\/\$ID,/],
  ])('an address that no route answers: %s', (text, message) => {
    expect(report(unknownAddresses(page(text), NO_ROUTE))).toMatch(message);
  });

  test('two pages with one title, a page outside the navigation, one twice in it, a route without a page', () => {
    const files = ['api', 'cli', 'mcp'].map((name) => ({ path: `docs/${name}.md`, text: '# Page\n' }));
    expect(report(repeatedTitles(files))).toMatch(/docs\/cli.md:1 has the title of docs\/api.md/);
    const messages = report(misplacedPages(files, ['/api', '/cli', '/cli', '/nowhere']));
    expect(messages).toMatch(
      /docs\/cli.md:1 stands 2 times[^]*docs\/mcp.md:1 stands 0 times[^]*names \/nowhere, which is no page/,
    );
  });
});
