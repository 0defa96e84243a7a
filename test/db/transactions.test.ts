import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isPassing } from '../../api/http/failures.ts';
import { claimDispatch } from '../../db/attempts/dispatches.ts';
import { type EnvironmentTransaction, NoConnectionError } from '../../db/client.ts';
import { CREDENTIAL_ENDED } from '../../db/scope.ts';
import { boundStatement } from '../../db/statement.ts';
import { wireValue } from '../../db/wire-value.ts';
import { newId } from '../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('a statement', () => {
  test.each([
    ['? and ?', ['a', 'b'], '$1 and $2', ['a', 'b']],
    ['x \\? ?', ['a'], 'x ? $1', ['a']],
    [':b, :a, :b', { a: 1, b: null }, '$1, $2, $3', [null, 1, null]],
    [`:a::text || 'HH24:MI'`, { a: 1 }, `$1::text || 'HH24:MI'`, [1]],
    [`SELECT '{}'::jsonb ? 'a'`, undefined, `SELECT '{}'::jsonb ? 'a'`, []],
  ])('%s', (sql, bindings, text, values) => {
    expect(boundStatement(null, sql, bindings)).toEqual({ name: null, text, values });
    const varied = boundStatement({ variantsOf: 'test_marks' }, sql, bindings);
    expect(varied).toEqual({
      name: expect.stringMatching(/^test_marks_[0-9a-f]{8}$/),
      text: `/* test_marks */ ${text}`,
      values,
    });
    expect(boundStatement({ variantsOf: 'test_marks' }, sql, bindings).name).toBe(varied.name);
  });

  test('has one text under its name, which leads it as a comment', () => {
    expect(boundStatement('test_named', 'SELECT ?', [1])).toEqual({
      name: 'test_named',
      text: '/* test_named */ SELECT $1',
      values: [1],
    });
    expect(boundStatement('test_named', 'SELECT ?', [2]).values).toEqual([2]);
    expect(() => boundStatement('test_named', 'SELECT 1 + ?', [1])).toThrow(
      /test_named has two texts: give one of them another name.*variantsOf: 'test_named'/,
    );
  });

  test('refuses a value that is missing', () => {
    expect(() => boundStatement(null, 'one ?', [])).toThrow(/1 values, and 0 are bound/);
    expect(() => boundStatement(null, 'two :a', { a: undefined })).toThrow(/a of a statement is undefined/);
  });
});

test.each([
  [[1, null, true, 'a"b\\c', ['x']], '{1,NULL,true,"a\\"b\\\\c",{"x"}}'],
  [[Buffer.from('é')], '{"\\\\xc3a9"}'],
  [{ a: [1] }, '{"a":[1]}'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [2n ** 63n - 1n, '9223372036854775807'],
  [null, null],
  [Buffer.from('é'), Buffer.from('é')],
])('the value %o is sent as %o', (value, sent) => {
  expect(wireValue(value)).toEqual(sent);
});

describe('a transaction', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ poolMax: 1 });
  });
  afterAll(() => database.close());

  const backend = async (): Promise<number | undefined> => {
    const { rows } = await database.db.withEnvironment(database.tenant, (tx) =>
      tx.raw<{ rows: { pid: number }[] }>(null, 'SELECT pg_backend_pid() AS pid'),
    );
    return rows[0]?.pid;
  };

  test('prepares a statement once for its connection, and sends several at a time in their order', async () => {
    const prepared = await database.db.withEnvironment(database.tenant, async (tx) => {
      const numbers = await tx.inOrder(
        ...[1, 2, 3].map((n) => () => tx.raw<{ rows: { n: number }[] }>('test_prepared', 'SELECT ?::int AS n', [n])),
      );
      expect(numbers.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
      return tx.raw<{ rows: unknown[] }>(null, `SELECT FROM pg_prepared_statements WHERE name = 'test_prepared'`);
    });
    expect(prepared.rows).toHaveLength(1);
  });

  test('names a statement as its caller does, for logs, pg_stat_statements and pg_prepared_statements', async () => {
    const { rows } = await database.db.withEnvironment(database.tenant, async (tx) => {
      await claimDispatch(tx, 'inv_unknown');
      return tx.raw<{ rows: { name: string; statement: string }[] }>(
        null,
        `SELECT name, statement FROM pg_prepared_statements WHERE name = 'claim_dispatch'`,
      );
    });
    expect(rows).toEqual([
      { name: 'claim_dispatch', statement: expect.stringMatching(/^\/\* claim_dispatch \*\/ WITH/) },
    ]);
  });

  test('waits for a connection only so long, and says what is missing in its own error', async () => {
    const { db, tenant } = database;
    const wait = vi
      .spyOn(db['pool'], 'connect')
      .mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'));
    const refused: unknown = await db.withEnvironment(tenant, () => Promise.resolve()).catch((error: unknown) => error);
    wait.mockRestore();
    expect(refused).toBeInstanceOf(NoConnectionError);
    expect(isPassing(refused)).toBe(true);
  });

  test('a statement that fails in front of others fails them, and the connection is as before', async () => {
    const pid = await backend();
    const failing = database.db.withEnvironment(database.tenant, (tx) =>
      tx.inOrder(
        () => tx.raw(null, 'SELECT 1 / ?::int', [0]),
        () => tx.raw(null, 'SELECT ?::int', [1]),
      ),
    );
    await expect(failing).rejects.toThrow(/division by zero/);
    expect(await backend()).toBe(pid);
  });

  test('a statement is refused while another one is under way, and the error names tx.inOrder', async () => {
    const both = database.db.withEnvironment(database.tenant, (tx) =>
      Promise.all([tx.raw(null, 'SELECT ?::int', [1]), tx.raw(null, 'SELECT ?::int', [2])]),
    );
    await expect(both).rejects.toThrow(/under way.*send both by tx\.inOrder/);
  });

  const numberOf = async (tx: EnvironmentTransaction, n: number): Promise<number | undefined> =>
    (await tx.raw<{ rows: { n: number }[] }>(null, 'SELECT ?::int AS n', [n])).rows[0]?.n;

  test('steps in order answer one by one, a null step with null, and a step may have steps of its own', async () => {
    const answers = await database.db.withEnvironment(database.tenant, (tx) =>
      tx.inOrder(
        () => numberOf(tx, 1),
        null,
        () =>
          tx.inOrder(
            () => numberOf(tx, 2),
            () => numberOf(tx, 3),
          ),
        () => Promise.resolve('sends nothing'),
      ),
    );
    expect(answers).toEqual([1, null, [2, 3], 'sends nothing']);
  });

  test('steps in order take one round trip', async () => {
    const { db, tenant } = database;
    const packets = await db.withEnvironment(tenant, async (tx) => {
      await numberOf(tx, 0);
      const client = vi.spyOn(Client.prototype, 'query');
      await tx.inOrder(
        () => numberOf(tx, 1),
        () => numberOf(tx, 2),
      );
      const { length } = client.mock.calls;
      client.mockRestore();
      return length;
    });
    expect(packets).toBe(1);
  });

  test('a step that awaits before it sends is refused: its statement would come after the others', async () => {
    const late = async (tx: EnvironmentTransaction): Promise<number | undefined> => {
      await Promise.resolve();
      return numberOf(tx, 1);
    };
    const reordered = database.db.withEnvironment(database.tenant, (tx) =>
      tx.inOrder(
        () => late(tx),
        () => numberOf(tx, 2),
      ),
    );
    await expect(reordered).rejects.toThrow(/after its first await.*goes behind tx\.inOrder/);
  });

  test('of several steps that throw, the first one in their order is answered', async () => {
    const refusing = async (tx: EnvironmentTransaction, n: number): Promise<void> => {
      await numberOf(tx, n);
      for (let wait = 0; wait < 5 - n; wait++) await Promise.resolve();
      throw new Error(`step ${n} refuses`);
    };
    const refused = database.db.withEnvironment(database.tenant, (tx) =>
      tx.inOrder(
        () => refusing(tx, 1),
        () => refusing(tx, 2),
      ),
    );
    await expect(refused).rejects.toThrow('step 1 refuses');
  });

  test('an error that the work swallows commits nothing, and says so', async () => {
    const swallowing = database.db.withEnvironment(database.tenant, async (tx) => {
      await tx.raw(null, 'SELECT 1 / ?::int', [0]).catch(() => null);
    });
    await expect(swallowing).rejects.toThrow(/nothing was committed/);
  });

  test('a last statement that fails commits nothing, and its error is the answer', async () => {
    const failing = database.db.withEnvironment(database.tenant, (tx) =>
      tx.last(() => tx.raw(null, 'SELECT 1 / ?::int', [0])),
    );
    await expect(failing).rejects.toThrow(/division by zero/);
    const { rows } = await database.db.withEnvironment(database.tenant, (tx) =>
      tx.raw<{ rows: unknown[] }>(null, 'SELECT ?::int AS n', [1]),
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('the commit goes with its last statements, and nothing is taken after it', async () => {
    const { db, tenant } = database;
    await db.withEnvironment(tenant, async (tx) => {
      await tx.raw(null, 'CREATE TEMPORARY TABLE lasting AS SELECT ?::int AS n', [1]);
      expect(await tx.last(() => numberOf(tx, 2))).toEqual([2]);
      await expect(numberOf(tx, 3)).rejects.toThrow(/transaction is over/);
    });
    const { rows } = await db.withEnvironment(tenant, (tx) =>
      tx.raw<{ rows: unknown[] }>(null, 'SELECT n FROM lasting WHERE n = ?', [1]),
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('sends nothing more once it is over, whatever goes on beside the failure', async () => {
    let goOn: () => void = () => undefined;
    let late: Promise<unknown> = Promise.resolve();
    const failed = database.db.withEnvironment(database.tenant, (tx) => {
      late = new Promise<void>((resolve) => (goOn = resolve)).then(() => tx.raw(null, 'SELECT ?::int', [1]));
      return Promise.all([late, Promise.reject(new Error('beside'))]);
    });
    await expect(failed).rejects.toThrow('beside');
    goOn();
    await expect(late).rejects.toThrow(/transaction is over/);
  });

  test('a connection that ends under it is not used again', async () => {
    const pid = await backend();
    await expect(
      database.db.withEnvironment(database.tenant, (tx) =>
        tx.raw(null, 'SELECT pg_terminate_backend(pg_backend_pid())'),
      ),
    ).rejects.toThrow(/terminat/);
    expect(await backend()).not.toBe(pid);
  });

  test('waits for the disk unless it says that a later one will', async () => {
    const setting = (tx: EnvironmentTransaction) =>
      tx.raw<{ rows: { setting: string }[] }>(null, `SELECT current_setting('synchronous_commit') AS setting`);
    const { db, tenant } = database;
    const before = await db.withEnvironment(tenant, setting);
    const later = await db.withEnvironment(tenant, setting, { flush: 'with_the_next' });
    const after = await db.withEnvironment(tenant, setting);
    expect(later.rows).toEqual([{ setting: 'off' }]);
    expect(after.rows).toEqual(before.rows);
  });
});

describe('statements that travel together', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ poolMax: 1 });
    await database.asOwner('CREATE TABLE joined (n integer PRIMARY KEY); GRANT ALL ON joined TO PUBLIC');
  });
  afterAll(() => database.close());

  const INSERT = 'INSERT INTO joined VALUES (?::int)';
  const readOnly = { readOnly: true };

  test('a read writes nothing, bound or not, and its connection is as before', async () => {
    const { db, tenant } = database;
    await expect(db.withEnvironment(tenant, (tx) => tx.raw('test_insert', INSERT, [1]), readOnly)).rejects.toThrow(
      /read-only/,
    );
    await expect(
      db.withEnvironment(tenant, (tx) => tx.raw(null, 'INSERT INTO joined VALUES (1)'), readOnly),
    ).rejects.toThrow(/read-only/);
    await db.withEnvironment(tenant, (tx) => tx.raw('test_insert', INSERT, [1]));
    expect(await database.asOwner('SELECT n FROM joined')).toEqual([{ n: 1 }]);
  });

  test('each statement of a read is in the tenant, in turn or at once, and leaves nothing behind', async () => {
    const { db, tenant } = database;
    type Answer = { rows: { environment: string; n: number }[] };
    const ask = (tx: EnvironmentTransaction, n: number): Promise<Answer> =>
      tx.raw(null, `SELECT current_setting('app.environment_id') AS environment, ?::int AS n`, [n]);
    const answers = await db.withEnvironment(
      tenant,
      async (tx) => [
        await ask(tx, 1),
        ...(await tx.inOrder(
          () => ask(tx, 2),
          () => ask(tx, 3),
        )),
      ],
      readOnly,
    );
    expect(answers.flatMap(({ rows }) => rows)).toEqual(
      [1, 2, 3].map((n) => ({ environment: tenant.environmentId, n })),
    );
    const left = `SELECT current_setting('app.environment_id', true) AS environment, current_setting('transaction_read_only') AS read`;
    expect((await db.directory.raw<{ rows: unknown[] }>(null, left)).rows).toEqual([{ environment: '', read: 'off' }]);
  });

  test('a statement that failed first, or after it was prepared, is prepared again as needed', async () => {
    const { db, tenant } = database;
    const insert = (n: number): Promise<unknown> =>
      db.withEnvironment(tenant, (tx) => tx.raw('test_insert', INSERT, [n]));
    const later = (n: number): Promise<unknown> =>
      db.withEnvironment(tenant, async (tx) => {
        await tx.raw('test_before', 'SELECT ?::int', [0]);
        await tx.raw('test_insert', INSERT, [n]);
      });
    await database.asOwner('DELETE FROM joined; INSERT INTO joined VALUES (1)');
    for (const run of [insert, later, insert, later]) await expect(run(1)).rejects.toThrow(/joined_pkey/);
    for (const [index, run] of [insert, later, insert].entries()) await run(index + 2);
    expect(await database.asOwner('SELECT n FROM joined ORDER BY n')).toEqual([1, 2, 3, 4].map((n) => ({ n })));
  });

  test('a value that cannot be sent fails its statement, and the connection is as before', async () => {
    const { db, tenant } = database;
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    for (const options of [readOnly, {}]) {
      await expect(
        db.withEnvironment(tenant, (tx) => tx.raw(null, 'SELECT ?::json', [endless]), options),
      ).rejects.toThrow(/circular/i);
      const { rows } = await db.withEnvironment(tenant, (tx) =>
        tx.raw<{ rows: unknown[] }>(null, 'SELECT ?::json AS v', [{}]),
      );
      expect(rows).toEqual([{ v: {} }]);
    }
  });

  test('what a failed opening kept from beginning is told by the opening, whatever the work makes of it', async () => {
    const { db, tenant } = database;
    const held = { type: 'api_key', keyId: newId('apiKey') } as const;
    const swallowing = db.withEnvironment(
      tenant,
      async (tx) => {
        await tx.raw(null, 'SELECT ?::int', [1]).catch(() => null);
        throw new Error('another story');
      },
      { held },
    );
    await expect(swallowing).rejects.toMatchObject({ code: CREDENTIAL_ENDED });
    await expect(db.withEnvironment(tenant, () => Promise.resolve(), { held })).rejects.toMatchObject({
      code: CREDENTIAL_ENDED,
    });
  });

  test('a scope that is none takes no connection', async () => {
    const { db, tenant } = database;
    const nobody = { ...tenant, environmentId: 'nobody' };
    await expect(db.withEnvironment(nobody, () => Promise.resolve())).rejects.toThrow(/takes UUIDs/);
    expect(db['pool'].totalCount - db['pool'].idleCount).toBe(0);
  });
});

describe('one statement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ poolMax: 1 });
    await database.asOwner('CREATE TABLE counted (n integer); GRANT ALL ON counted TO PUBLIC');
  });
  afterAll(() => database.close());

  const count = async (): Promise<unknown> =>
    (await database.asOwner('SELECT n FROM counted ORDER BY n')).map(({ n }) => n);

  test('is committed, in the tenant, and answered', async () => {
    const { db, tenant } = database;
    const answer = await db.oneStatement(tenant, (tx) =>
      tx.raw<{ rows: unknown[] }>(
        null,
        `INSERT INTO counted VALUES (?::int) RETURNING current_setting('app.environment_id') AS environment`,
        [1],
      ),
    );
    expect(answer.rows).toEqual([{ environment: tenant.environmentId }]);
    expect(await count()).toEqual([1]);
    const { rows } = await db.directory.raw<{ rows: { left: string }[] }>(
      null,
      `SELECT current_setting('app.environment_id', true) AS left`,
    );
    expect(rows).toEqual([{ left: '' }]);
  });

  test('that fails changes nothing, and the connection is as before', async () => {
    const { db, tenant } = database;
    await expect(
      db.oneStatement(tenant, (tx) => tx.raw(null, 'INSERT INTO counted SELECT 1 / ?::int', [0])),
    ).rejects.toThrow(/division by zero/);
    expect(await count()).toEqual([1]);
    await db.oneStatement(tenant, (tx) => tx.raw(null, 'INSERT INTO counted VALUES (?)', [2]));
    expect(await count()).toEqual([1, 2]);
  });

  test('takes no second one', async () => {
    const two = database.db.oneStatement(database.tenant, async (tx) => {
      await tx.raw(null, 'SELECT ?::int', [1]);
      await tx.raw(null, 'INSERT INTO counted VALUES (?)', [3]);
    });
    await expect(two).rejects.toThrow(/transaction is over/);
    expect(await count()).toEqual([1, 2]);
  });
});
