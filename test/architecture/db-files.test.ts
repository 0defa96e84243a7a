import { expect, test } from 'vitest';
import { loadTree } from './source-tree.ts';

const FILES_MAX = 320;

test(`db has at most ${FILES_MAX} files beside its migrations`, () => {
  const folders = new Map<string, number>();
  for (const { path } of loadTree()) {
    const inDb = /^db\/(?!migrations\/)(?:([^/]+)\/)?.*\.ts$/.exec(path);
    if (inDb === null) continue;
    const folder = inDb[1] ?? 'db itself';
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const most = [...folders].toSorted(([, one], [, other]) => other - one).slice(0, 5);
  const remedy =
    'has too many small files: put statements that are used together into one file of their area ' +
    `(records, queries, changes, or what they are about). The most stand in ${most.map(([name, n]) => `${name} (${n})`).join(', ')}`;
  expect(
    [...folders.values()].reduce((sum, n) => sum + n, 0),
    remedy,
  ).toBeLessThanOrEqual(FILES_MAX);
});
