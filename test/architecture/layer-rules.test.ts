import { describe, expect, test } from 'vitest';
import { checkLayers } from './layer-rules.ts';
import { LAYERS } from './layers.ts';
import { loadTree, report } from './source-tree.ts';

const LOW_AND_HIGH = {
  api: [
    ['low', 'why'],
    ['names.ts', 'why'],
    ['high', 'why'],
  ],
} as const;
const SOUND = [
  { path: 'api/floor.ts', text: '' },
  { path: 'api/low/a.ts', text: "import '../floor.ts'; import './b.ts';" },
  { path: 'api/names.ts', text: "import './low/a.ts';" },
  {
    path: 'api/high/a.ts',
    text: "import type { A } from '../low/a.ts'; import '../names.ts'; import '../../db/x/y.ts';",
  },
];

const PLANTED: { what: string; path: string; text: string; says: RegExp }[] = [
  {
    what: 'an area that imports a higher one',
    path: 'api/low/x.ts',
    text: "import '../high/a.ts';",
    says: /low stands below high/,
  },
  { what: 'a type counts', path: 'api/low/x.ts', text: "import type { A } from '../high/a.ts';", says: /hand it in/ },
  { what: 'a file with a line', path: 'api/low/x.ts', text: "import '../names.ts';", says: /below names\.ts/ },
  {
    what: 'a file without a line',
    path: 'api/x.ts',
    text: "import './low/a.ts';",
    says: /outside the areas stands below low/,
  },
  { what: 'a folder without a line', path: 'api/lo/x.ts', text: '', says: /no area of it: .* or give it a line/ },
];

describe('the layers of areas', () => {
  test('hold in this project: no area imports one above it, and every area has a line', () => {
    expect(report(checkLayers(loadTree()))).toBe('');
  });

  test('give a reason for every area, once', () => {
    for (const lines of Object.values<readonly (readonly [name: string, why: string])[]>(LAYERS)) {
      expect(new Set(lines.map(([name]) => name)).size).toBe(lines.length);
      expect(lines.filter(([, why]) => why === '')).toEqual([]);
    }
  });

  test.each(PLANTED)('finds a planted violation: $what', ({ path, text, says }) => {
    expect(report(checkLayers(SOUND, LOW_AND_HIGH))).toBe('');
    expect(report(checkLayers([...SOUND, { path, text }], LOW_AND_HIGH))).toMatch(says);
  });

  test('finds a line of an area that is gone', () => {
    expect(report(checkLayers(SOUND.slice(0, 3), LOW_AND_HIGH))).toMatch(/names api\/high, which is gone/);
  });
});
