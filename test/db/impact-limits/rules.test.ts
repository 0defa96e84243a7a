import { describe, expect, test } from 'vitest';
import { startDispatch } from '../../../db/attempts/dispatches.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import { requiredState } from '../../../domain/impact-limits/settle.ts';
import { OUTCOMES, PARTIAL_EFFECTS, STAGES } from '../../../domain/lifecycle.ts';
import { emails, LimitWorld, type TestEffect, writeMove } from './world.ts';

/** What the database refuses, whatever the code does. A mistake could send each of these statements. */

const world = await LimitWorld.start();
const limitId = await world.makeLimit({ cap: 10, period: 'per_effect' });

/** Runs as the application. Returns the refusal's message, or `committed`. */
function tried(work: (tx: EnvironmentTransaction) => Promise<unknown>): Promise<string> {
  return world.transaction(work).then(
    () => 'committed',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** The same as the superuser. */
function triedAsOwner(sql: string, values: unknown[]): Promise<string> {
  return world.owner.query(sql, values).then(
    () => 'committed',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function reserveByHand(
  tx: EnvironmentTransaction,
  effect: TestEffect,
  { amount = 1, period = effect.effectId, of = limitId }: { amount?: number; period?: string; of?: string } = {},
): Promise<void> {
  const bindings = { id: newId('reservation'), effectId: effect.effectId, limitId: of, period, amount };
  await tx.raw(
    null,
    `INSERT INTO impact_limit_periods (limit_id, period, environment_id) VALUES (:limitId, :period, current_environment_id())
     ON CONFLICT DO NOTHING`,
    bindings,
  );
  await tx.raw(
    null,
    `INSERT INTO impact_reservations (id, environment_id, effect_id, limit_id, period, amount)
     VALUES (:id, current_environment_id(), :effectId, :limitId, :period, :amount)`,
    bindings,
  );
}

describe('the counters', () => {
  test.each([
    'UPDATE impact_limit_periods SET reserved = 0 WHERE limit_id = $1',
    'UPDATE impact_limit_periods SET settled = settled + 1 WHERE limit_id = $1',
    'DELETE FROM impact_limit_periods WHERE limit_id = $1',
    "INSERT INTO impact_limit_periods (limit_id, period, environment_id, reserved) SELECT id, 'x', environment_id, 1 FROM impact_limits WHERE id = $1",
  ])('move with reservations alone: %s', async (sql) => {
    await world.dispatched([emails(1)]);
    expect(await triedAsOwner(sql, [limitId])).toMatch(/move only with its reservations/);
    expect(await tried((tx) => tx.raw(null, sql.replace('$1', '?'), [limitId]))).toMatch(
      /move only with its reservations|permission denied/,
    );
  });

  test('do not rise above the cap, whoever inserts the reservation', async () => {
    const effect = await world.makeEffect([emails(11)]);
    const over = (tx: EnvironmentTransaction) => reserveByHand(tx, effect, { amount: 11 });
    expect(await tried(over)).toMatch(/would be exceeded/);
  });

  test('count with the cap as it is when they are committed', async () => {
    // A reservation in flight delays a lower cap. One that waits for a lower cap is checked against it.
    const id = await world.makeLimit({ dimension: 'rows', cap: 10 });
    const rows = (amount: number) => ({ dimension: 'rows', amount, bound: 'exact' as const });
    const first = await world.makeEffect([rows(6)]);
    const order: string[] = [];
    let lowered: Promise<unknown> | undefined;
    await world.transaction(async (tx) => {
      await reserveByHand(tx, first, { amount: 6, period: 'lifetime', of: id });
      await startDispatch(tx, first.invocationId, []);
      lowered = world
        .transaction((other) => other.raw(null, 'UPDATE impact_limits SET cap = 7 WHERE id = ?', [id]))
        .then(() => order.push('lowered'));
      await untilWaiting('UPDATE impact_limits');
      order.push('reserved');
    });
    await lowered;
    expect(order).toEqual(['reserved', 'lowered']);

    const second = await world.makeEffect([rows(1)]);
    let refusal: Promise<unknown> | undefined;
    await world.transaction(async (tx) => {
      await tx.raw(null, 'UPDATE impact_limits SET cap = 6 WHERE id = ?', [id]);
      refusal = world.dispatch(second);
      await untilWaiting('WITH wanted');
    });
    expect(await refusal).toMatchObject({
      code: 'impact_limit_exceeded',
      message: expect.stringContaining('has 0 of 6') as string,
    });
  });
});

/** Resolves once a statement that begins with this text waits for a lock. */
async function untilWaiting(statement: string): Promise<void> {
  await expect.poll(() => world.database.lockWaits(`%${statement}%`)).toBe(1);
}

describe('a reservation', () => {
  test('is one for an effect and a limit', async () => {
    const effect = await world.dispatched([emails(1)]);
    expect(await tried((tx) => reserveByHand(tx, effect, { period: 'another' }))).toMatch(/duplicate key/);
  });

  test.each([
    ['amount', 2],
    ['period', 'other'],
    ['effect_id', 'eff_other'],
    ['limit_id', 'lim_other'],
  ])('never changes its %s', async (column, value) => {
    const { effectId } = await world.dispatched([emails(1)]);
    const sql = `UPDATE impact_reservations SET ${column} = '${value}' WHERE effect_id = `;
    expect(await tried((tx) => tx.raw(null, `${sql}?`, [effectId]))).toMatch(/permission denied/);
    expect(await triedAsOwner(`${sql}$1`, [effectId])).toMatch(/is immutable/);
  });

  const settle =
    (state: string, settled: number, released: number) => (tx: EnvironmentTransaction, effect: TestEffect) =>
      tx.raw(
        null,
        `UPDATE impact_reservations SET state = ?, exposure = NULL, settled = ?, released = ?, finished_at = now(),
         reversed_at = CASE WHEN state = 'settled' THEN now() END WHERE effect_id = ?`,
        [state, settled, released, effect.effectId],
      );

  test('is settled once: what is settled or released is final', async () => {
    const effect = await world.dispatched([emails(4)]);
    await world.move(effect, { stage: 'settled', outcome: 'succeeded' });
    expect(await tried((tx) => settle('settled', 4, 0)(tx, effect))).toMatch(/that is final/);
    expect(await tried((tx) => settle('settled', 1, 3)(tx, effect))).toMatch(/that is final/);
    expect(
      await tried((tx) =>
        tx.raw(null, `UPDATE impact_reservations SET state = 'reserved' WHERE effect_id = ?`, [effect.effectId]),
      ),
    ).toMatch(/cannot move/);
    await world.move(effect, { stage: 'settled', outcome: 'failed' });
    for (const [state, settled] of [
      ['settled', 4],
      ['released', 0],
      ['reserved', 0],
    ] as const) {
      expect(await tried((tx) => settle(state, settled, 4 - settled)(tx, effect))).toMatch(/that is final|cannot move/);
    }
    expect(await world.reservations(effect)).toMatchObject([{ state: 'released', released: 4 }]);
  });

  test('gives back no more and no less than it took', async () => {
    const effect = await world.dispatched([emails(4)]);
    const both = (state: string, settled: number, released: number) => async (tx: EnvironmentTransaction) => {
      await writeMove(tx, effect, { stage: 'settled', outcome: state === 'settled' ? 'succeeded' : 'failed' });
      await settle(state, settled, released)(tx, effect);
    };
    expect(await tried(both('settled', 5, 0))).toMatch(/add_up/);
    expect(await tried(both('settled', 3, 0))).toMatch(/add_up/);
    expect(await tried(both('released', 0, 5))).toMatch(/add_up/);
    expect(await tried(both('released', 1, 3))).toMatch(/add_up/);
    expect(await tried(both('settled', 3, 1))).toBe('committed');
  });

  test('is held while the outcome is unknown: nothing settles or releases it', async () => {
    const effect = await world.dispatched([emails(4)]);
    await world.move(effect, { stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' });
    expect(await tried((tx) => settle('released', 0, 4)(tx, effect))).toMatch(/is released and not reserved\/unknown/);
    expect(await tried((tx) => settle('settled', 4, 0)(tx, effect))).toMatch(/is settled and not reserved\/unknown/);
  });

  test('is not given back while its effect stands', async () => {
    const effect = await world.dispatched([emails(4)]);
    await world.move(effect, { stage: 'settled', outcome: 'succeeded' });
    expect(await tried((tx) => settle('released', 0, 4)(tx, effect))).toMatch(/is released and not settled/);
  });

  test('cannot be forgotten by a settlement', async () => {
    for (const to of [
      { stage: 'settled', outcome: 'succeeded' },
      { stage: 'settled', outcome: 'failed' },
      { stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' },
      { stage: 'rejected', outcome: 'not_dispatched' },
    ] as const) {
      const effect = await world.dispatched([emails(4)]);
      expect(await tried((tx) => writeMove(tx, effect, to))).toMatch(/is reserved\/dispatching and not/);
      expect(await world.reservations(effect)).toMatchObject([{ state: 'reserved', exposure: 'dispatching' }]);
    }
  });

  test('is not kept by an effect that is refused in the transaction that made it', async () => {
    const effect = await world.makeEffect([emails(1)]);
    const refused = async (tx: EnvironmentTransaction): Promise<void> => {
      await reserveByHand(tx, effect);
      await writeMove(tx, effect, { stage: 'rejected', outcome: 'not_dispatched' });
    };
    expect(await tried(refused)).toMatch(/is reserved\/dispatching and not released/);
  });

  test('is not made without the mark, nor for an effect that is over', async () => {
    const effect = await world.makeEffect([emails(1)]);
    expect(await tried((tx) => reserveByHand(tx, effect))).toMatch(/and not absent/);
    const other = await world.dispatched([]);
    await world.move(other, { stage: 'settled', outcome: 'succeeded' });
    expect(await tried((tx) => reserveByHand(tx, other))).toMatch(/and not settled/);
  });

  test('is not made against a limit or an effect of another environment', async () => {
    const effect = await world.makeEffect([emails(1)]);
    const elsewhere = await world.database.db.withEnvironment(world.database.tenants.staging, (tx) =>
      tx.raw<{ rows: { limit_id: string; period: string }[] }>(
        null,
        'SELECT limit_id, period FROM impact_limit_periods',
      ),
    );
    const { limit_id: of = '', period = '' } = elsewhere.rows[0] ?? {};
    expect(of).not.toBe('');
    expect(await tried((tx) => reserveByHand(tx, effect, { of, period }))).toMatch(
      /has no period|violates|row-level security/,
    );
  });

  test('is never deleted', async () => {
    const { effectId } = await world.dispatched([emails(1)]);
    expect(await triedAsOwner('DELETE FROM impact_reservations WHERE effect_id = $1', [effectId])).toMatch(
      /never deleted/,
    );
  });
});

describe('a limit', () => {
  test.each([
    ['dimension', 'rows'],
    ['period', 'day'],
    ['timezone', 'Europe/Berlin'],
    ['scope', '{"actions":["x"]}'],
  ])('never changes its %s', async (column, value) => {
    const id = await world.makeLimit({ dimension: 'files' });
    expect(await triedAsOwner(`UPDATE impact_limits SET ${column} = $2 WHERE id = $1`, [id, value])).toMatch(
      /is immutable/,
    );
  });

  test('stays archived, and is never deleted', async () => {
    const id = await world.makeLimit({ dimension: 'files' });
    await world.owner.query('UPDATE impact_limits SET archived_at = now() WHERE id = $1', [id]);
    expect(await triedAsOwner('UPDATE impact_limits SET archived_at = NULL WHERE id = $1', [id])).toMatch(
      /is archived/,
    );
    expect(await triedAsOwner('UPDATE impact_limits SET cap = 1 WHERE id = $1', [id])).toMatch(/is archived/);
    expect(await triedAsOwner('DELETE FROM impact_limits WHERE id = $1', [id])).toMatch(/never deleted/);
  });
});

test('code and database agree on the state that the reservations of an effect must have', async () => {
  for (const stage of STAGES) {
    for (const outcome of OUTCOMES) {
      for (const partialEffect of PARTIAL_EFFECTS) {
        const [row] = await world.database.asOwner<{ place: string | null }>(
          'SELECT reservation_place($1, $2, $3) AS place',
          [stage, outcome, partialEffect],
        );
        const required = requiredState({ stage, outcome, partialEffect });
        const text = required && [required.state, required.exposure].filter((part) => part !== null).join('/');
        expect(row?.place, `${stage} ${outcome} ${partialEffect}`).toBe(text);
      }
    }
  }
});
