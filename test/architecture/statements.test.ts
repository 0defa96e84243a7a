import { describe, expect, test } from 'vitest';
import { loadTree, report } from './source-tree.ts';
import { checkTransactions } from './statement-rules.ts';

describe('statements of a transaction are sent in the order in which they are written', () => {
  test('in this project', () => {
    expect(report(checkTransactions(loadTree()))).toBe('');
  });

  test.each([
    ['api/x/x.ts', 'const [a, b] = await Promise.all([one(tx), other(tx)]);'],
    ['activities/x/x.ts', 'await Promise.allSettled(ids.map((id) => settle(tx, id)));'],
    ['api/x/x.ts', 'await Promise.race([tx.raw(READ), late]);'],
    ['db/x/x.ts', 'const sent = lock(tx); await Promise.all([sent, read]);'],
  ])('a planted violation in %s is found: %s', (path, text) => {
    expect(checkTransactions([{ path, text }])).toMatchObject([{ message: expect.stringMatching(/tx\.inOrder/) }]);
  });

  test.each([
    ['activities/x/x.ts', 'await Promise.all(refs.map((ref) => db.withEnvironment(ref, (tx) => note(tx, ref))));'],
    ['api/x/x.ts', 'await Promise.all([ask(one), ask(other)]);'],
    ['db/x/x.ts', 'await tx.inOrder(() => lock(tx), () => read(tx));'],
  ])('%s may say %s', (path, text) => {
    expect(checkTransactions([{ path, text }])).toEqual([]);
  });
});
