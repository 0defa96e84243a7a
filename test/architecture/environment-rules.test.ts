import { describe, expect, test } from 'vitest';
import { checkEnvironments } from './environment-rules.ts';
import { loadTree, report, type SourceFile } from './source-tree.ts';

const SCHEMA: SourceFile = {
  path: 'db/schema.sql',
  text: 'CREATE TABLE runs (\n  id text NOT NULL,\n  environment_id uuid NOT NULL\n);\nCREATE TABLE plans (\n  id text NOT NULL\n);\n',
};

const list = (sql: string): string =>
  `export async function listRuns(tx: EnvironmentTransaction) { return tx.raw(\`${sql}\`); }`;

const found = (text: string, path = 'db/runs/list-runs.ts', ...others: SourceFile[]): string =>
  report(checkEnvironments([SCHEMA, { path, text }, ...others]));

describe('the condition of the environment', () => {
  test('is written by every list of an environment, and by nothing that names its row by id', () => {
    expect(report(checkEnvironments(loadTree()))).toBe('');
  });

  test.each([
    ['no condition', 'SELECT id FROM runs ORDER BY id LIMIT 20'],
    ['another condition', 'SELECT id FROM runs WHERE ended_at IS NULL'],
    ['a filter by id that may be left out', 'SELECT id FROM runs WHERE (CAST(:id AS text) IS NULL OR parent_id = :id)'],
    ['an id in a subquery alone', 'SELECT id FROM runs WHERE name = (SELECT name FROM runs WHERE id = ?)'],
  ])('is missed in a list with %s', (_, sql) => {
    const says = /^db\/runs\/list-runs\.ts:1 has the list listRuns without its environment: begin its WHERE with/;
    expect(found(list(sql))).toMatch(says);
    expect(found(list(sql), 'db/runs/records.ts')).toContain('has the list listRuns');
  });

  test.each([
    ['no condition', `from: 'runs r', order: 'r.id'`],
    ['a filter by id', `from: 'runs r', filters: { parentId: 'r.parent_id = :parentId' }, order: 'r.id'`],
  ])('is missed in a page with %s', (_, page) => {
    const text = `export async function readRuns(tx: EnvironmentTransaction) { return pageOf(tx, { ${page}, asked }); }`;
    expect(found(text, 'db/runs/queries.ts')).toContain('has the list readRuns without its environment');
    const whole = text.replace('order:', `where: 'environment_id = current_environment_id()', order:`);
    expect(found(whole, 'db/runs/queries.ts')).toBe('');
  });

  test.each([
    ['rows by id', 'SELECT name FROM runs WHERE environment_id = current_environment_id() AND id = ANY(?)'],
    ['a row by id', 'SELECT name FROM runs r WHERE r.environment_id = current_environment_id()\n AND r.id = :id'],
    ['a parent by id', 'SELECT name FROM runs WHERE environment_id = current_environment_id() AND parent_id = ?'],
  ])('is found beside %s', (_, sql) => {
    const says = /^db\/runs\/get-run\.ts:\d names rows by their id .* leave it to row-level security/;
    expect(found(`export const SQL = \`${sql}\`;`, 'db/runs/get-run.ts')).toMatch(says);
  });

  test('is not asked of a list that names its parent, nor of a table of the workspace, nor of a search by what is not an id', () => {
    expect(found(list('SELECT id FROM runs WHERE parent_id = :parentId ORDER BY id'))).toBe('');
    expect(found(list('SELECT id FROM plans'))).toBe('');
    expect(found(list('SELECT id FROM runs WHERE environment_id = current_environment_id() AND trace_id = ?'))).toBe(
      '',
    );
  });

  test('is found in a fragment of another file', () => {
    const text = `import { WHERE as SHOWN } from './records.ts';\n${list('SELECT id FROM runs WHERE ${SHOWN}')}`;
    const fragment = (sql: string) => ({ path: 'db/runs/records.ts', text: `export const WHERE = '${sql}';` });
    expect(found(text, undefined, fragment('runs.environment_id = current_environment_id()'))).toBe('');
    expect(found(text, undefined, fragment('ended_at IS NULL'))).toContain('has the list listRuns');
  });
});
