import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';

/** docs/database.md and docs/database-functions.md list everything that the database does by itself, and nothing else. */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const PAGE = ['database.md', 'database-functions.md']
  .map((file) => readFileSync(path.join(ROOT, 'docs', file), 'utf8'))
  .join('\n');

const database = await createTestDatabase();

/** The first cells of the tables under a heading, without code marks. */
function listed(heading: string, page = PAGE): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([\w.]+)`/gm)].map((match) => match[1] ?? '').toSorted();
}

const names = async (sql: string): Promise<string[]> =>
  (await database.asOwner<{ name: string }>(sql)).map(({ name }) => name).toSorted();

const TRIGGERS = `
  SELECT format('%s.%s', c.relname, t.tgname) AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace`;
const DEFINERS = `SELECT proname AS name FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace`;
const DERIVED = `
  SELECT format('%s.%s', c.relname, a.attname) AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE a.attgenerated <> '' AND c.relnamespace = 'public'::regnamespace`;

describe('docs/database.md and docs/database-functions.md', () => {
  test.each([
    ['Triggers', TRIGGERS],
    ['Functions with the rights', DEFINERS],
    ['Columns that are derived', DERIVED],
  ])('%s: lists what PostgreSQL’s catalog holds', async (heading, sql) => {
    const held = await names(sql);
    expect(held.length).toBeGreaterThan(0);
    expect(listed(heading)).toEqual(held);
  });

  test('shows a trigger that it does not list', async () => {
    await database.asOwner('CREATE TRIGGER planted BEFORE UPDATE ON secrets EXECUTE FUNCTION refuse_change()');
    expect(listed('Triggers')).not.toEqual(await names(TRIGGERS));
    await database.asOwner('DROP TRIGGER planted ON secrets');
  });

  test('names tests that are there', () => {
    const tests = [...PAGE.matchAll(/`(test\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
