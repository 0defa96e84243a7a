import { describe, expect, test } from 'vitest';
import { PathTable } from '../../../api/http/path-table.ts';

function tableOf(...paths: string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const path of paths) table.at(path, () => path);
  return table;
}

describe('a table of paths', () => {
  test.each([
    ['/actions', '/actions', {}],
    ['/actions/', '/actions', {}],
    ['/actions/invocations', '/actions/invocations', {}],
    ['/actions/other', '/actions/{ref}', { ref: 'other' }],
    ['/actions/invocations/versions', '/actions/{ref}/versions', { ref: 'invocations' }],
    ['/actions/a%2Fb%2520', '/actions/{ref}', { ref: 'a/b%20' }],
    ['/actions/%E0%A4%A', '/actions/{ref}', { ref: '%E0%A4%A' }],
  ])('finds %s at %s', (path, found, params) => {
    const table = tableOf('/actions/{ref}', '/actions', '/actions/invocations', '/actions/{ref}/versions');
    expect(table.find(path)).toEqual({ found, params });
  });

  test.each(['', '/', '//', '/Actions', '/actions//versions', '/actions/a/b', 'actions'])(
    'finds nothing at "%s"',
    (path) => {
      expect(tableOf('/actions', '/actions/{ref}/versions').find(path)).toBeNull();
    },
  );

  test('makes what stands at a path once, and takes no other name of its parameters', () => {
    const table = tableOf('/actions/{ref}');
    expect(table.at('/actions/{ref}', () => 'another')).toBe('/actions/{ref}');
    expect(() => table.at('/actions/{id}', () => 'another')).toThrow('other names of parameters');
  });
});
