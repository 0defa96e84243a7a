import { describe, expect, test } from 'vitest';
import { undocumentedLocks } from './lock-rules.ts';
import { loadTree, report } from './source-tree.ts';

test('docs/lock-order.md names each advisory lock, how it is taken and where', () => {
  expect(report(undocumentedLocks(loadTree()))).toBe('');
});

describe('a difference between the page and the code is told', () => {
  const CODE =
    'await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended(\'topics/\' || current_environment_id(), 0))");';
  const ROW = '| `topics` | the cap of topics | waits | `db/topics.ts` |';
  const of = (code: string, row: string): string =>
    report(
      undocumentedLocks([
        { path: 'db/topics.ts', text: code },
        { path: 'docs/lock-order.md', text: `# Lock order\n\n## Advisory locks\n\n${row}\n` },
      ]),
    );

  test.each([
    ['nothing where they agree', CODE, ROW, /^$/],
    ['a lock that is missing', CODE, '', /db\/topics.ts:1 takes the advisory lock topics: give it a row/],
    ['a lock that is gone', '', ROW, /docs\/lock-order.md:5 names the lock topics, which nothing takes/],
    ['another file', CODE, ROW.replace('topics.ts', 'x.ts'), /with "waits" and db\/topics.ts/],
    ['another mode', CODE.replace('_lock(', '_lock_shared('), ROW, /with "shares" and db\/topics.ts/],
    ['a lock without a name', 'pg_advisory_xact_lock(4711)', '', /takes an advisory lock without a name/],
    ['a function of keys', 'pg_try_advisory_xact_lock(topic_lock_of(?))', '', /the advisory lock topic_lock_of/],
  ])('%s', (_name, code, row, message) => {
    expect(of(code, row)).toMatch(message);
  });
});
