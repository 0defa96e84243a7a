import { describe, expect, test } from 'vitest';
import { ERROR_TABLE, type ErrorCode, statusesOf } from '../../domain/errors.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { loadTree } from './source-tree.ts';

/** What pages list, and the API description has: docs/openapi.json is held to the routes by a test of its own. */

const TREE = loadTree();
const textOf = (path: string): string => TREE.find((file) => file.path === path)?.text ?? '';

interface Operation {
  'x-scope'?: string;
  'x-role'?: string;
}
const DESCRIPTION = JSON.parse(textOf('docs/openapi.json')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object }> };
};
const OPERATIONS = Object.values(DESCRIPTION.paths).flatMap((methods) => Object.values(methods));

const propertiesOf = (schema: string): string[] =>
  Object.keys(DESCRIPTION.components.schemas[schema]?.properties ?? {}).toSorted();

describe('docs/identity.md', () => {
  const rowOf = (who: string): string[] => {
    const row = new RegExp(`^\\| ${who} +\\|(.*)\\|$`, 'm').exec(textOf('docs/identity.md'))?.[1] ?? '';
    return [...row.matchAll(/`([\w-]+:[\w-]+)`/g)].map(([, scope = '']) => scope).toSorted();
  };

  test.each([
    ['a member', 'member'],
    ['an admin', 'admin'],
    ['nobody', undefined],
  ])('says which scopes the session of %s stands for, as the routes do', (who, role) => {
    const scopes = OPERATIONS.flatMap((operation) =>
      operation['x-scope'] !== undefined && operation['x-role'] === role ? [operation['x-scope']] : [],
    );
    expect(scopes.length).toBeGreaterThan(0);
    expect(scopes.filter((scope) => !(SCOPES as string[]).includes(scope))).toEqual([]);
    expect(rowOf(who)).toEqual([...new Set(scopes)].toSorted());
  });
});

test('docs/actions.md lists the words that no action can have for a name: those of the paths', () => {
  const [, listed = ''] = /words in paths \(([^)]*)\)/.exec(textOf('docs/actions.md')) ?? [];
  const words = Object.keys(DESCRIPTION.paths).flatMap((path) => /^\/api\/v2\/actions\/([a-z]+)/.exec(path)?.[1] ?? []);
  const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(names.toSorted()).toEqual([...new Set(words)].toSorted());
});

test('docs/api.md says what each status of an error means', () => {
  const table = [...textOf('docs/api.md').matchAll(/^\| (\d{3}(?:, \d{3})*) +\|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').map(Number),
  );
  const statuses = (Object.keys(ERROR_TABLE) as ErrorCode[]).flatMap((code) => [...statusesOf(code)]);
  expect(statuses.filter((status) => !table.includes(status))).toEqual([]);
});

test('docs/messages.md lists each member of a publish, and no other', () => {
  const [, section = ''] = /^## What a request holds\n([^]*?)^## /m.exec(textOf('docs/messages.md')) ?? [];
  const members = [...section.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(members.length).toBeGreaterThan(0);
  expect(members.toSorted()).toEqual(propertiesOf('PublishMessageRequest'));
});

test('docs/memory.md lists each member of a memory to store, and no other', () => {
  const [, listed = ''] = /`POST \/memory` takes\s`\{([^}]*)\}`/.exec(textOf('docs/memory.md')) ?? [];
  const members = listed.split(', ').map((member) => member.replace('?', ''));
  expect(members.toSorted()).toEqual(propertiesOf('StoreMemoryRequest'));
});
