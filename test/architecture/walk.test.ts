import { expect, test } from 'vitest';
import { loadTree } from './source-tree.ts';

/** docs/architecture.md names each function of the walk of one invocation, so that the walk stays short enough to be read. */

const FUNCTIONS_MAX = 60;
const PAGE = 'docs/architecture.md';

const files = loadTree();
const page = files.find(({ path }) => path === PAGE)?.text ?? '';
const walk = page.slice(page.indexOf('**The walk**'), page.indexOf('1. **Preview**'));
const rows = walk.split('\n').filter((line) => line.startsWith('|'));
const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''));

test('the walk of an invocation has as many functions as its page says, and at most 60', () => {
  const stated = Number(/\*\*(\d+)\s+functions\*\*/.exec(walk)?.[1]);
  expect(named.length, `${PAGE} says ${stated} functions and names others: count its table again`).toBe(stated);
  expect(named.length, `${FUNCTIONS_MAX} at most: join functions that only pass something on`).toBeLessThanOrEqual(
    FUNCTIONS_MAX,
  );
  expect(new Set(named).size, `${PAGE} names a function of the walk twice`).toBe(named.length);
});

test('each function that the walk names is in the source', () => {
  const source = files.filter(({ path }) => /^(activities|api|db|domain|workflows)\/.*\.ts$/.test(path));
  const declared = new Set(
    source.flatMap(({ text }) => [...text.matchAll(/\bfunction (\w+)/g)].map(([, name]) => name)),
  );
  const gone = named.filter((name) => !declared.has(name));
  expect(gone, `${PAGE} names functions that are gone: name what took their place, and count again`).toEqual([]);
});
