import { expect, test } from 'vitest';
import type { ImpactQuantity } from '../../../domain/actions.ts';
import { LIMIT_INVARIANTS, violatedInvariants } from '../../faults/invariants.ts';
import { LimitWorld, type Move, NOON, type TestEffect } from './world.ts';

/** Effects that share some limits and not others, reserved and settled concurrently: a cycle of locks would show as an error. */

const LIMITS = 6;
const EFFECTS = 120;
const CAP = 150;
const ENDS: readonly Move[] = [
  { stage: 'settled', outcome: 'succeeded' },
  { stage: 'settled', outcome: 'failed' },
  { stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' },
];

const world = await LimitWorld.start();

test('no deadlock, no cap exceeded, each effect reserved of all its limits or of none', async () => {
  const ids: string[] = [];
  for (let limit = 0; limit < LIMITS; limit++) {
    ids.push(
      await world.makeLimit({ dimension: `shared_${limit % 3}`, cap: CAP, period: limit < 3 ? 'day' : 'month' }),
    );
  }
  const effects: { effect: TestEffect; dimensions: number }[] = [];
  for (let at = 0; at < EFFECTS; at++) {
    // One, two or three of the dimensions, in either order; two limits count each.
    const dimensions = [0, 1, 2].filter((dimension) => ((at % 7) + 1) & (1 << dimension));
    const impact = dimensions.map((dimension): ImpactQuantity => ({
      dimension: `shared_${dimension}`,
      amount: 1 + (at % 5),
      bound: 'exact',
    }));
    effects.push({
      effect: await world.makeEffect(at % 2 ? impact.toReversed() : impact),
      dimensions: dimensions.length,
    });
  }
  const refused = await Promise.all(
    effects.map(async ({ effect }, at) => {
      const refusal = await world.dispatch(effect, NOON);
      if (refusal === null) await world.move(effect, ENDS[at % ENDS.length] ?? { stage: 'settled', outcome: 'failed' });
      return refusal;
    }),
  );
  expect(new Set(refused.map((refusal) => refusal?.code ?? null))).toEqual(new Set([null, 'impact_limit_exceeded']));
  for (const [at, { effect, dimensions }] of effects.entries()) {
    expect(await world.reservations(effect)).toHaveLength(refused[at] === null ? dimensions * 2 : 0);
  }
  for (const id of ids) {
    const { reserved, settled, available } = await world.limit(id);
    expect(reserved + settled + available).toBe(CAP);
  }
  expect(await violatedInvariants(world.database, LIMIT_INVARIANTS)).toEqual({});
});

test('the first reservations of a period, made at once, share one counter', async () => {
  const dimension = 'first';
  const id = await world.makeLimit({ dimension, period: 'hour', cap: 10 });
  const effects: TestEffect[] = [];
  for (let at = 0; at < 16; at++) effects.push(await world.makeEffect([{ dimension, amount: 1, bound: 'exact' }]));
  const refused = await Promise.all(effects.map((effect) => world.dispatch(effect, NOON)));
  expect(refused.filter((refusal) => refusal === null)).toHaveLength(10);
  expect(await world.used(id)).toEqual([10, 0]);
});

test('who waits for a period that another opens holds no counter meanwhile', async () => {
  const unopened = await world.makeLimit({ dimension: 'unopened', period: 'day', cap: 10 });
  const opened = await world.makeLimit({ dimension: 'opened', period: 'day', cap: 10 });
  const [one, other] = [
    { dimension: 'unopened', amount: 1, bound: 'exact' as const },
    { dimension: 'opened', amount: 1, bound: 'exact' as const },
  ];
  expect(await world.dispatch(await world.makeEffect([other]), NOON)).toBeNull();
  const effect = await world.makeEffect([one, other]);
  await world.owner.query('BEGIN');
  await world.owner.query(
    `INSERT INTO impact_limit_periods (limit_id, period, environment_id)
     SELECT $1, period, environment_id FROM impact_limit_periods WHERE limit_id = $2`,
    [unopened, opened],
  );
  const dispatched = world.dispatch(effect, NOON);
  await expect
    .poll(() =>
      world.database.asOwner(`SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
        WHERE NOT l.granted AND l.locktype = 'transactionid' AND a.datname = current_database()`),
    )
    .toHaveLength(1);
  const lock = 'SELECT 1 FROM impact_limit_periods WHERE limit_id = $1 FOR UPDATE NOWAIT';
  const locked = await world.owner.query(lock, [opened]).then(
    ({ rowCount }) => rowCount,
    (error: Error) => error.message,
  );
  await world.owner.query('COMMIT');
  expect(await dispatched).toBeNull();
  expect(locked).toBe(1);
});
