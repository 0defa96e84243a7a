import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../db/api-keys/api-keys.ts';
import { admitToBudget } from '../../../db/budgets/admission.ts';
import { getBudget, lockBudget, putBudget } from '../../../db/budgets/budgets.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { ADMISSION_ESTIMATE_MICROCENTS, type BudgetCaps } from '../../../domain/budgets.ts';
import { giveBackAllowance } from '../../../db/plans/allowances.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { plantInvocation, refusalOf } from '../invocations/planted-rows.ts';

/** The rules that the database enforces on budgets, independent of the code. */

const ONE = ADMISSION_ESTIMATE_MICROCENTS.invocations;
const CAP = 10 * ONE;

const world = await startPlantedDatabase();
const { database, owner, planted } = world;

function transaction<T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
  return database.db.withEnvironment(database.tenant, work);
}

/** A key with a budget, where caps are given. */
function makeKey(caps: BudgetCaps | null = { total: CAP }): Promise<string> {
  return transaction(async (tx) => {
    const { record } = await createApiKey(tx, { name: 'agent', preset: 'full_access' });
    if (caps !== null) await putBudget(tx, record.id, caps);
    return record.id;
  });
}

const admit = (tx: EnvironmentTransaction, apiKeyId: string, invocationId: string): Promise<void> =>
  admitToBudget(tx, { apiKeyId, kind: 'invocations', count: 1, invocationId });

/** An invocation that was admitted under the budget of a new key. */
async function admitted(): Promise<{ apiKeyId: string; invocationId: string }> {
  const apiKeyId = await makeKey();
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  await transaction((tx) => admit(tx, apiKeyId, invocationId));
  return { apiKeyId, invocationId };
}

async function usedBy(apiKeyId: string): Promise<{ used: number; reserved: number }> {
  const [row] = await database.asOwner<{ used: number; reserved: number }>(
    'SELECT sum(used)::float8 AS used, sum(reserved)::float8 AS reserved FROM api_key_usage WHERE api_key_id = $1',
    [apiKeyId],
  );
  if (row === undefined) throw new Error('a sum answers one row');
  return row;
}

async function stateOf(invocationId: string): Promise<{ state: string; isFinished: boolean } | undefined> {
  const rows = await database.asOwner<{ state: string; isFinished: boolean }>(
    'SELECT state, finished_at IS NOT NULL AS "isFinished" FROM budget_reservations WHERE invocation_id = $1',
    [invocationId],
  );
  return rows[0];
}

const RESERVED = { state: 'reserved', isFinished: false };
const SETTLED = { state: 'settled', isFinished: true };
const RELEASED = { state: 'released', isFinished: true };

describe('the reservation of an invocation follows it', () => {
  // Other tests cover the moves that exist and what they require.
  const OTHER_RULES = ['check_move', 'check_approval', 'keep_resolution'];
  const switchOthers = async (to: 'ENABLE' | 'DISABLE'): Promise<void> => {
    for (const rule of OTHER_RULES) await owner.query(`ALTER TABLE invocations ${to} TRIGGER ${rule}`);
  };
  beforeAll(() => switchOthers('DISABLE'));
  afterAll(() => switchOthers('ENABLE'));

  type Status = [status: string, source?: 'system' | 'provider_response' | 'provider_lookup' | 'manual_resolution'];
  test.each<[string, Status[], typeof RESERVED]>([
    ['parked', [['pending_approval']], RESERVED],
    ['under way', [['dispatching']], RESERVED],
    ['unknown', [['dispatching'], ['unknown']], RESERVED],
    ['pending at its provider', [['dispatching'], ['unknown'], ['dispatching']], RESERVED],
    ['refused', [['refused', 'system']], RELEASED],
    ['denied', [['pending_approval'], ['denied', 'system']], RELEASED],
    ['expired', [['pending_approval'], ['expired', 'system']], RELEASED],
    ['cancelled', [['pending_approval'], ['cancelled', 'system']], RELEASED],
    ['refused after the mark', [['dispatching'], ['refused', 'system']], RELEASED],
    ['succeeded', [['dispatching'], ['succeeded', 'provider_response']], SETTLED],
    ['failed', [['dispatching'], ['failed', 'provider_response']], SETTLED],
    ['found by a read', [['dispatching'], ['unknown'], ['succeeded', 'provider_lookup']], SETTLED],
    ['found by a read to have failed', [['dispatching'], ['unknown'], ['failed', 'provider_lookup']], SETTLED],
    ['resolved as succeeded', [['dispatching'], ['unknown'], ['succeeded', 'manual_resolution']], SETTLED],
    ['resolved as failed', [['dispatching'], ['unknown'], ['failed', 'manual_resolution']], RELEASED],
    [
      'reversed by its provider later',
      [['dispatching'], ['succeeded', 'provider_response'], ['failed', 'provider_lookup']],
      SETTLED,
    ],
  ])('%s', async (_what, moves, expected) => {
    const { apiKeyId, invocationId } = await admitted();
    for (const [status, source = null] of moves) {
      await transaction((tx) =>
        tx.raw(
          null,
          `UPDATE invocations SET status = :status, ${refusalOf(':status')}, outcome_source = :source WHERE id = :id`,
          {
            status,
            source,
            id: invocationId,
          },
        ),
      );
    }
    expect(await stateOf(invocationId)).toEqual(expected);
    expect(await usedBy(apiKeyId)).toEqual({
      used: expected === SETTLED ? ONE : 0,
      reserved: expected === RESERVED ? ONE : 0,
    });
  });

  test('withdrawn: its row is gone, and what it reserved is given back', async () => {
    const { apiKeyId, invocationId } = await admitted();
    await transaction((tx) => tx.raw(null, 'DELETE FROM invocations WHERE id = ?', [invocationId]));
    expect(await stateOf(invocationId)).toEqual(RELEASED);
    expect(await usedBy(apiKeyId)).toEqual({ used: 0, reserved: 0 });
  });

  test('withdrawn, and admitted again under its id by another key: reserved and used once', async () => {
    const { apiKeyId, invocationId } = await admitted();
    await transaction((tx) => tx.raw(null, 'DELETE FROM invocations WHERE id = ?', [invocationId]));
    await plantInvocation(owner, database.tenant, planted, invocationId);
    const other = await makeKey();
    await transaction((tx) => admit(tx, other, invocationId));
    expect(await stateOf(invocationId)).toEqual(RESERVED);
    await owner.query(`UPDATE invocations SET status = 'succeeded', outcome_source = 'system' WHERE id = $1`, [
      invocationId,
    ]);
    expect(await stateOf(invocationId)).toEqual(SETTLED);
    expect(await usedBy(other)).toEqual({ used: ONE, reserved: 0 });
    expect(await usedBy(apiKeyId)).toEqual({ used: 0, reserved: 0 });
  });

  test('at the commit, so that counters of impact limits are locked before; a month that is given back comes after', async () => {
    const { apiKeyId, invocationId } = await admitted();
    const free = () =>
      owner.query('SELECT FROM api_key_usage WHERE api_key_id = $1 FOR UPDATE NOWAIT', [apiKeyId]).then(
        () => true,
        (error: Error) => error.message.replace(/.*could not obtain lock.*/, 'locked'),
      );
    await transaction(async (tx) => {
      await tx.raw(null, "UPDATE invocations SET status = 'succeeded', outcome_source = 'system' WHERE id = ?", [
        invocationId,
      ]);
      expect(await free()).toBe(true);
      await giveBackAllowance(tx, 'executions', 1, new Date());
      expect(await free()).toBe('locked');
    });
    expect(await usedBy(apiKeyId)).toEqual({ used: ONE, reserved: 0 });
  });

  test('also when its budget is removed before it ends: what it used stays on record', async () => {
    const { apiKeyId, invocationId } = await admitted();
    await transaction((tx) => tx.raw(null, 'DELETE FROM budgets WHERE api_key_id = ?', [apiKeyId]));
    await owner.query(`UPDATE invocations SET status = 'succeeded', outcome_source = 'system' WHERE id = $1`, [
      invocationId,
    ]);
    await transaction((tx) => putBudget(tx, apiKeyId, { total: CAP }));
    const budget = await transaction((tx) => getBudget(tx, apiKeyId));
    expect(budget).toMatchObject({ used: { invocations: ONE }, reserved: { total: 0 } });
  });
});

describe('is refused, to the application and to the owner alike', () => {
  /** The messages of the refusals, or `done`. Everything is rolled back. */
  async function tried(sql: string, values: readonly string[]): Promise<string[]> {
    const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));
    const asApplication = await transaction((tx) => tx.raw(null, sql.replaceAll(/\$\d/g, '?'), values)).then(
      () => 'done',
      message,
    );
    const asOwner = await owner.query(sql, [...values]).then(() => 'done', message);
    return [asApplication, asOwner];
  }

  test.each([
    ['release', 'released'],
    ['settle', 'settled'],
  ])('to %s what is under way, by hand', async (_what, state) => {
    const { apiKeyId, invocationId } = await admitted();
    await owner.query(`UPDATE invocations SET status = 'dispatching' WHERE id = $1`, [invocationId]);
    const sql = 'UPDATE budget_reservations SET state = $1, finished_at = now() WHERE invocation_id = $2';
    for (const refusal of await tried(sql, [state, invocationId])) expect(refusal).toMatch(/but reserved/);
    expect(await usedBy(apiKeyId)).toEqual({ used: 0, reserved: ONE });
  });

  test('to give back what was used, and to settle what was given back', async () => {
    const { apiKeyId, invocationId } = await admitted();
    const refuse = `UPDATE invocations SET status = 'refused', ${refusalOf(`'refused'`)}, outcome_source = 'system' WHERE id = $1`;
    await owner.query(refuse, [invocationId]);
    for (const state of ['settled', 'reserved']) {
      const sql = `UPDATE budget_reservations SET state = $1, finished_at = CASE WHEN $1 <> 'reserved' THEN now() END WHERE invocation_id = $2`;
      const asOwner = await owner.query(sql, [state, invocationId]).then(() => 'done', String);
      expect(asOwner).toMatch(/is final/);
    }
    expect(await usedBy(apiKeyId)).toEqual({ used: 0, reserved: 0 });
  });

  test.each([
    ['a use that is set back', 'SET used = 0', /never erased/],
    ['a reservation that is forgotten', 'SET reserved = 0', /moves only with its reservation/],
    ['a reservation that nobody made', 'SET reserved = reserved + 1', /moves only with its reservation/],
    ['a use of another month', "SET month = '2026-01-01'", /is immutable|permission denied/],
    ['a use above the cap', `SET used = used + ${CAP}`, /would rise above its budget/],
  ])('%s', async (_what, change, expected) => {
    const { apiKeyId } = await admitted();
    await transaction((tx) => admitToBudget(tx, { apiKeyId, kind: 'messages', count: 1 }));
    await owner.query(`UPDATE api_key_usage SET used = used + 1 WHERE api_key_id = $1`, [apiKeyId]);
    for (const refusal of await tried(`UPDATE api_key_usage ${change} WHERE api_key_id = $1`, [apiKeyId])) {
      expect(refusal).toMatch(expected);
    }
    for (const refusal of await tried('DELETE FROM api_key_usage WHERE api_key_id = $1', [apiKeyId])) {
      expect(refusal).toMatch(/never erased|permission denied/);
    }
  });

  test('a crossing that is changed or erased', async () => {
    const { apiKeyId } = await admitted();
    await owner.query(
      `INSERT INTO budget_crossings (environment_id, api_key_id, month, cap_name, threshold, taken, cap)
       SELECT environment_id, id, '2026-11-01', 'total', 80, 8, 10 FROM api_keys WHERE id = $1`,
      [apiKeyId],
    );
    for (const change of ['UPDATE budget_crossings SET taken = 0', 'DELETE FROM budget_crossings']) {
      const [asApplication, asOwner] = await tried(`${change} WHERE api_key_id = $1`, [apiKeyId]);
      expect(asApplication).toMatch(/permission denied/);
      expect(asOwner).toMatch(/append-only/);
    }
  });

  test('a reservation above the cap, whoever makes it', async () => {
    const { apiKeyId } = await admitted();
    const sql = `INSERT INTO budget_reservations (invocation_id, environment_id, api_key_id, month, amount)
      SELECT 'inv_by_hand', environment_id, id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, ${CAP} FROM api_keys WHERE id = $1`;
    for (const refusal of await tried(sql, [apiKeyId])) expect(refusal).toMatch(/would rise above its budget/);
  });
});

test('a budget that is made while the key is admitted to without one waits, and knows that use', async () => {
  const apiKeyId = await makeKey(null);
  const order: string[] = [];
  let made: Promise<void> | undefined;
  await transaction(async (tx) => {
    await admit(tx, apiKeyId, await plantInvocation(owner, database.tenant, planted));
    made = transaction(async (other) => {
      await lockBudget(other, apiKeyId);
      await putBudget(other, apiKeyId, { invocations: ONE });
      order.push('made');
    });
    await expect
      .poll(() =>
        database.asOwner(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`,
        ),
      )
      .toHaveLength(1);
    order.push('admitted');
  });
  await made;
  expect(order).toEqual(['admitted', 'made']);
  const another = await plantInvocation(owner, database.tenant, planted);
  await expect(transaction((tx) => admit(tx, apiKeyId, another))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  expect(await usedBy(apiKeyId)).toEqual({ used: ONE, reserved: 0 });
});
