import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listSweepAreas } from '../../../activities/maintenance/sweep-area.ts';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

test('docs/operations.md lists every area of the sweep, once', async () => {
  const table = /^\| Area +\| What it mends[^]*?\n\n/m.exec(page)?.[0] ?? '';
  const listed = [...table.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, area = '']) => area),
  );
  expect(listed.toSorted()).toEqual((await listSweepAreas()()).toSorted());
});
