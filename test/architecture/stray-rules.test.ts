import { describe, expect, test } from 'vitest';
import { checkStrays, needlessEntries } from './stray-rules.ts';
import { loadTree, report } from './source-tree.ts';

// Built from parts, so that this file does not break the rules itself.
const FOLDER = ['', 'root', 'service'].join('/');
const TEMPORARY = ['', 'tmp', 'service'].join('/');
const REGISTRY = ['registry', 'npmjs', 'org'].join('.');

const OTHER_DEFINE = ['define', 'SecretRoute'].join('');
const WORK = ['run', 'Work'].join('');

const PLANTED: { path: string; text: string; says: RegExp }[] = [
  { path: 'docs/operations.md', text: `cd ${FOLDER}`, says: /path of one machine/ },
  { path: 'embedded/main.ts', text: `mkdir('${TEMPORARY}')`, says: /path of one machine/ },
  { path: 'Dockerfile', text: `RUN npm ci --registry https://${REGISTRY}`, says: /package registry/ },
  { path: 'package-lock.json', text: '"resolved": "https://mirror.example/x.tgz"', says: /registry’s address/ },
  { path: 'api/x.ts', text: '// oxlint-disable-next-line', says: /silences a check/ },
  { path: 'domain/billing/x.ts', text: 'const half = amount / 2;', says: /counted: take `divideHalfUp`/ },
  { path: 'domain/billing/x.ts', text: 'const all = Math.round(amount);', says: /counted: take `divideHalfUp`/ },
  { path: 'api/x.ts', text: 'const x = y as any;', says: /silences a check/ },
  { path: 'test/x.test.ts', text: "describe.only('x', () => {});", says: /leaves tests out/ },
  { path: 'test/x.test.ts', text: "test.skip('x', () => {});", says: /leaves tests out/ },
  { path: 'api/x.ts', text: 'AbortSignal.timeout(1_000)', says: /domain\/deadline\.ts/ },
  { path: 'embedded/x.mjs', text: 'AbortSignal.any([one, other])', says: /new Deadline/ },
  {
    path: 'api/secrets/x.ts',
    text: 'await deps.db.withEnvironment(tenant, work)',
    says: /declare `read`, `list` or `change`/,
  },
  {
    path: 'api/secrets/x.ts',
    text: "import { recordAudit } from '../../db/audit/record-audit.ts';",
    says: /audit log/,
  },
  { path: 'api/x.ts', text: `export const listRoute = ${OTHER_DEFINE}({`, says: /by `of`/ },
  { path: 'api/mcp/x.ts', text: `await ${WORK}(asked, store)`, says: /front door/ },
  { path: 'api/x.ts', text: 'start(type, { ...options, workflowIdConflictPolicy })', says: /temporal\/<area>/ },
  { path: 'activities/x.ts', text: 'WorkflowIdReusePolicy.ALLOW_DUPLICATE', says: /every starter uses/ },
  { path: 'workflows/x/x.workflow.ts', text: "if (patched('ask-twice')) await ask();", says: /record them again/ },
  { path: 'workflows/x/x.workflow.ts', text: "deprecatePatch('ask-twice');", says: /first release/ },
  {
    path: 'db/x.ts',
    text: 'DELETE FROM x WHERE id IN (SELECT id FROM x WHERE f(now()) > 0 ORDER BY id LIMIT 9 FOR UPDATE SKIP LOCKED)',
    says: /may exceed/,
  },
  {
    path: 'db/schema.sql',
    text: 'UPDATE x SET a = 1 FROM (SELECT y.id FROM x y LIMIT 1 FOR UPDATE OF y SKIP LOCKED) n WHERE n.id = x.id',
    says: /may exceed/,
  },
  { path: 'db/secrets/x.ts', text: 'SELECT id FROM x ORDER BY id LIMIT :limit OFFSET :offset', says: /to `pageOf`/ },
  { path: 'test/x.test.ts', text: 'expect.poll(look, { timeout: 10_000 })', says: /PATIENCE_MS/ },
  { path: 'db/x.ts', text: '// TODO later', says: /unfinished work/ },
  { path: 'db/x.ts', text: '/** Of the effect, where one governs. */', says: /begin with the subject/ },
  { path: 'db/x.ts', text: "return 'Give the password of before.';", says: /say what happened before/ },
  { path: 'docs/operations.md', text: 'A row of after the release is read.', says: /say what happened before/ },
  { path: 'docs/operations.md', text: 'It is read. Of\ntwo at once one wins.', says: /begin with the subject/ },
  { path: 'docs/operations.md', text: 'The window begins anew.', says: /write “again”/ },
];

describe('strays', () => {
  test('are nowhere in this project', () => {
    expect(report(checkStrays(loadTree()))).toBe('');
  });

  test.each(PLANTED)('finds “$text” in $path', ({ path, text, says }) => {
    expect(report(checkStrays([{ path, text }]))).toMatch(says);
  });

  test('leaves the transactions of a route alone that says why it owns them', () => {
    const opened = 'const handler = () => deps.db.withEnvironment(tenant, work);';
    const text = `defineRoute({\n  ownsItsTransaction: 'Bytes are read between two.',\n});\n${opened}`;
    expect(report(checkStrays([{ path: 'api/files/x.ts', text }]))).toBe('');
    expect(report(checkStrays([{ path: 'api/files/x.ts', text: `// ownsItsTransaction: no.\n${opened}` }]))).not.toBe(
      '',
    );
  });

  test('are looked for in each file that may open transactions and declares no route, as long as it does', () => {
    expect(needlessEntries(loadTree())).toEqual([]);
    expect(needlessEntries([])).toContain('api/auth/audit.ts');
  });

  test('leaves “of” within a sentence, and names that hold it, alone', () => {
    const text = '// A page of rows.\nconst lastOf = arrayOf(pages); // ofEach';
    expect(report(checkStrays([{ path: 'db/x.ts', text }]))).toBe('');
  });

  test('leaves named time-outs, and multiples of them, alone', () => {
    const text = 'expect.poll(look, { timeout: PATIENCE_MS }); describe(name, { timeout: 2 * TIMEOUT_MS }, cases);';
    expect(report(checkStrays([{ path: 'test/x.test.ts', text }]))).toBe('');
  });

  test('leaves addresses and test.each alone', () => {
    const text = "fetch('https://example.com/work/items'); test.each([1])('x'); test.skipIf(noContainer)('y');";
    expect(report(checkStrays([{ path: 'test/x.test.ts', text }]))).toBe('');
  });
});
