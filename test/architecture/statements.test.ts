import { describe, expect, test } from 'vitest';
import { loadTree, report } from './source-tree.ts';
import { checkNames, checkTransactions } from './statement-rules.ts';

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

describe('a statement has a literal name of its own', () => {
  test('in this project', () => {
    expect(report(checkNames(loadTree()))).toBe('');
  });

  test.each<[string, RegExp]>([
    ['const read = (tx) => tx.raw(`SELECT 1`, []);', /without a literal name: write tx\.raw/],
    ['const read = (tx) => tx.raw(null, `SELECT 1`);', /without a literal name/],
    ['const read = (tx) => tx.row(null, `SELECT 1`);', /without a literal name/],
    [
      "import { pageOf } from '../page.ts'; const list = (tx) => pageOf(tx, { from: 'a', asked });",
      /without a literal name/,
    ],
    [
      "import { pageOf } from '../page.ts'; const list = (tx, where) => itemsOf(tx, { name: 'list_it', where, asked });",
      /variantsOf: 'list_it'/,
    ],
    ['const read = (tx, name) => tx.raw(name, `SELECT 1`);', /without a literal name/],
    ['const read = (tx) => tx.raw({ variantsOf: NAME }, `SELECT 1`);', /without a literal name/],
    ["tx.raw('read_it', A); tx.raw('read_it', A);", /read_it, as db\/x\/x\.ts:1 does: give it a name of its own/],
    ["tx.raw('begin', A);", /begin, as db\/transaction\.ts does/],
    ["const read = (tx, lock) => tx.raw('read_it', `SELECT 1 ${lock}`);", /variantsOf: 'read_it'/],
    [
      "const read = (tx, { ids }) => { const where = ids.join(); return tx.raw('read_it', `SELECT ${where}`); };",
      /builds the text/,
    ],
  ])('a planted violation is found: %s', (text, says) => {
    const planted = [
      { path: 'db/transaction.ts', text: "const BEGIN = { name: 'begin' };" },
      { path: 'db/x/x.ts', text },
    ];
    expect(checkNames(planted)).toMatchObject([{ message: expect.stringMatching(says) }]);
  });

  test.each([
    "const read = (tx, id) => tx.raw('read_it', `SELECT ${selected(COLUMNS)} WHERE id = ?`, [id]);",
    "const read = (tx) => { const lock = `FOR ${HOW}`; return tx.raw('read_it', `SELECT ${lock}`); };",
    "const read = (tx, id) => tx.raw('read_it', `SELECT ${ALL.map((one) => `${one}.id`).join()}`, [id]);",
    "const read = (tx, lock) => tx.raw({ variantsOf: 'read_it' }, `SELECT 1 ${lock}`);",
  ])('may say %s', (text) => {
    expect(checkNames([{ path: 'db/x/x.ts', text }])).toEqual([]);
  });
});
