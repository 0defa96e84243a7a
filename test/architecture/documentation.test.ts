import { describe, expect, test } from 'vitest';
import { repeatedTitles, type Routes, unknownAddresses, unreadablePages } from './documentation-rules.ts';
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

describe('pages', () => {
  test('are short enough, begin with what they are for, and have no long line', () => {
    expect(report(unreadablePages(TREE))).toBe('');
  });

  test('have titles of their own', () => {
    expect(report(repeatedTitles(TREE))).toBe('');
  });

  test('name addresses that the service answers', () => {
    expect(report(unknownAddresses(TREE, SERVICE))).toBe('');
  });
});
