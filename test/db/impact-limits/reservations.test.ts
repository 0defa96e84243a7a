import { describe, expect, test } from 'vitest';
import type { ImpactQuantity } from '../../../domain/actions.ts';
import { LimitWorld, money, NOON, type Move } from './world.ts';

/** Reserving and settling, as the activities do it. The rules: docs/impact-limits.md, "From reservation to settlement". */

let serial = 0;

const world = await LimitWorld.start();

/** A dimension of its own, so that the limits of one test do not count the effects of another. */
function ownDimension(): string {
  return `unit_${++serial}`;
}

describe('a reservation', () => {
  test('takes what the effect declares, once for each limit that applies, and says where it stands', async () => {
    const dimension = ownDimension();
    const day = await world.makeLimit({ dimension, period: 'day', cap: 10 });
    const lifetime = await world.makeLimit({ dimension, cap: 1_000, scope: { actions: ['plant*'] } });
    const elsewhere = await world.makeLimit({ dimension, cap: 0, scope: { actions: ['other'] } });
    const effect = await world.dispatched([
      { dimension, amount: 3, bound: 'exact' },
      { dimension, amount: 4, bound: 'upper_bound' },
    ]);
    const base = { amount: 7, state: 'reserved', exposure: 'dispatching', settled: 0, released: 0, finishedAt: null };
    expect(await world.reservations(effect)).toMatchObject([
      { ...base, limitId: day, period: '2026-11-21', dimension, currency: null },
      { ...base, limitId: lifetime, period: 'lifetime' },
    ]);
    expect(await world.limit(day)).toMatchObject({
      reserved: 7,
      settled: 0,
      available: 3,
      currentPeriod: '2026-11-21',
    });
    expect(await world.used(elsewhere)).toEqual([0, 0]);
  });

  test('that fits to the last unit passes, and one unit more is refused by name', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ name: 'Mails a day', dimension, cap: 10, period: 'day' });
    await world.dispatched([{ dimension, amount: 10, bound: 'exact' }]);
    const refused = await world.makeEffect([{ dimension, amount: 1, bound: 'exact' }]);
    expect(await world.dispatch(refused)).toEqual({
      code: 'impact_limit_exceeded',
      message:
        `the impact limit "Mails a day" (${id}) has 0 of 10 ${dimension} available in 2026-11-21, and 1 are needed; ` +
        'the next period begins at 2026-11-22T00:00:00.000Z',
      details: { limitId: id, limitIds: [id], available: 0, requested: 1, resumeAt: '2026-11-22T00:00:00.000Z' },
    });
    expect(await world.reservations(refused)).toEqual([]);
    // The next period has its own counter.
    expect(await world.dispatch(refused, new Date('2026-11-22T00:00:00Z'))).toBeNull();
    expect(await world.used(id, NOON)).toEqual([10, 0]);
  });

  test('is of all limits or of none', async () => {
    const dimension = ownDimension();
    const ids = [
      await world.makeLimit({ dimension, cap: 100 }),
      await world.makeLimit({ dimension, cap: 5 }),
      await world.makeLimit({ dimension, cap: 4 }),
    ];
    const effect = await world.makeEffect([{ dimension, amount: 6, bound: 'exact' }]);
    const refusal = await world.dispatch(effect);
    expect(refusal?.message).toContain(`(${ids[1]}) has 5 of 5`);
    expect(refusal?.message).toContain(`(1 more of its limits: ${ids[2]})`);
    for (const id of ids) expect(await world.used(id)).toEqual([0, 0]);
    expect(await world.reservations(effect)).toEqual([]);
  });

  test('per effect is a cap of each effect by itself', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 5, period: 'per_effect' });
    const [first] = [await world.dispatched([{ dimension, amount: 5, bound: 'exact' }])];
    await world.dispatched([{ dimension, amount: 5, bound: 'exact' }]);
    const refusal = await world.dispatch(await world.makeEffect([{ dimension, amount: 6, bound: 'exact' }]));
    expect(refusal?.message).toContain('has 5 of 5');
    expect(await world.reservations(first)).toMatchObject([{ period: first.effectId }]);
    expect(await world.limit(id)).toMatchObject({ currentPeriod: null, resetsAt: null, reserved: 0, available: 5 });
  });

  test('keeps the period in which it was made', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 5, period: 'hour', timezone: 'Asia/Kolkata' });
    const effect = await world.dispatched([{ dimension, amount: 5, bound: 'exact' }]);
    await world.move(effect, { stage: 'settled', outcome: 'succeeded' });
    expect(await world.reservations(effect)).toMatchObject([{ period: '2026-11-21T17+05:30', settled: 5 }]);
    expect(await world.used(id, new Date('2026-11-21T12:29:59Z'))).toEqual([0, 5]);
    expect(await world.used(id, new Date('2026-11-21T12:30:00Z'))).toEqual([0, 0]);
  });

  test('of money in a currency that only others are limited in is refused, and says so', async () => {
    const action = 'euro-action';
    const id = await world.makeLimit({ dimension: 'money', currency: 'usd', scope: { actions: [action] } });
    const effect = await world.makeEffect([money(5, 'eur')]);
    expect(await world.dispatch(effect, NOON, { actionName: action })).toMatchObject({
      code: 'currency_mismatch',
      message: expect.stringContaining(`(${id}) counts usd, this is in eur`) as string,
    });
    expect(await world.dispatch(effect, NOON, { actionName: 'another' })).toBeNull();
  });

  test('is not made by an archived limit', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 0 });
    await world.transaction((tx) => tx.raw(null, 'UPDATE impact_limits SET archived_at = now() WHERE id = ?', [id]));
    const effect = await world.dispatched([{ dimension, amount: 5, bound: 'exact' }]);
    expect(await world.reservations(effect)).toEqual([]);
  });

  test('of nothing is none', async () => {
    const dimension = ownDimension();
    await world.makeLimit({ dimension, cap: 0 });
    expect(await world.reservations(await world.dispatched([{ dimension, amount: 0, bound: 'exact' }]))).toEqual([]);
  });
});

const UNKNOWN: Move = { stage: 'reconciling', outcome: 'unknown', partialEffect: 'possible' };
const PENDING: Move = { stage: 'reconciling', outcome: 'pending', partialEffect: 'possible' };
const SUCCEEDED: Move = { stage: 'settled', outcome: 'succeeded' };
const FAILED: Move = { stage: 'settled', outcome: 'failed' };
const PARTIAL: Move = { stage: 'settled', outcome: 'failed', partialEffect: 'confirmed' };
const REJECTED: Move = { stage: 'rejected', outcome: 'not_dispatched' };

const HELD = { state: 'reserved', settled: 0, released: 0, finishedAt: null };
const SETTLED = { state: 'settled', exposure: null, settled: 8, released: 0, finishedAt: expect.any(Date) as Date };
const RELEASED = { state: 'released', exposure: null, settled: 0, released: 8, finishedAt: expect.any(Date) as Date };

describe('a settlement', () => {
  test.each<[string, Move[], object, [number, number]]>([
    ['success', [SUCCEEDED], SETTLED, [0, 8]],
    ['failure', [FAILED], RELEASED, [0, 0]],
    ['rejection after the mark', [REJECTED], RELEASED, [0, 0]],
    ['unknown', [UNKNOWN], { ...HELD, exposure: 'unknown' }, [8, 0]],
    ['pending', [PENDING], { ...HELD, exposure: 'pending' }, [8, 0]],
    ['pending that is unknown again', [PENDING, UNKNOWN], { ...HELD, exposure: 'unknown' }, [8, 0]],
    ['unknown that succeeded', [UNKNOWN, SUCCEEDED], SETTLED, [0, 8]],
    ['unknown that failed', [UNKNOWN, FAILED], RELEASED, [0, 0]],
    ['failure with a part of the effect', [UNKNOWN, PARTIAL], { ...SETTLED, exposure: 'partial' }, [0, 8]],
    ['success that the provider reversed', [SUCCEEDED, FAILED], RELEASED, [0, 0]],
    ['reversal that left a part', [SUCCEEDED, PARTIAL], { ...SETTLED, exposure: 'partial' }, [0, 8]],
  ])('of %s', async (_name, moves, expected, used) => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 8 });
    const effect = await world.dispatched([{ dimension, amount: 8, bound: 'upper_bound' }]);
    for (const move of moves) {
      await world.move(effect, move);
      await world.move(effect, move); // idempotent
    }
    expect(await world.reservations(effect)).toMatchObject([expected]);
    expect(await world.used(id)).toEqual(used);
  });

  test('of an upper bound takes what was observed and gives the rest back; never more than was reserved', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 100 });
    const observed = (amount: number) => ({ settledImpact: [{ dimension, amount }, money(1)] });
    const less = await world.dispatched([{ dimension, amount: 8, bound: 'upper_bound' }]);
    await world.move(less, SUCCEEDED, observed(3));
    expect(await world.reservations(less)).toMatchObject([{ state: 'settled', amount: 8, settled: 3, released: 5 }]);
    const none = await world.dispatched([{ dimension, amount: 8, bound: 'upper_bound' }]);
    await world.move(none, SUCCEEDED, observed(0));
    expect(await world.reservations(none)).toMatchObject([{ state: 'settled', settled: 0, released: 8 }]);
    const more = await world.dispatched([{ dimension, amount: 8, bound: 'upper_bound' }]);
    await world.move(more, SUCCEEDED, observed(11));
    expect(await world.reservations(more)).toMatchObject([{ state: 'settled', settled: 8, released: 0 }]);
    const part = await world.dispatched([{ dimension, amount: 8, bound: 'exact' }]);
    await world.move(part, UNKNOWN);
    await world.move(part, PARTIAL, observed(2));
    expect(await world.reservations(part)).toMatchObject([{ state: 'settled', exposure: 'partial', settled: 2 }]);
    expect(await world.used(id)).toEqual([0, 13]);
  });

  test('that was given back after an observed part gives back that part', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, cap: 8 });
    const effect = await world.dispatched([{ dimension, amount: 8, bound: 'upper_bound' }]);
    await world.move(effect, SUCCEEDED, { settledImpact: [{ dimension, amount: 3 }] });
    expect(await world.used(id)).toEqual([0, 3]);
    await world.move(effect, FAILED);
    expect(await world.reservations(effect)).toMatchObject([RELEASED]);
    expect(await world.used(id)).toEqual([0, 0]);
  });

  test('matches an observation by its currency', async () => {
    const usd = await world.makeLimit({ dimension: 'money', currency: 'usd', scope: { agentIds: ['payer'] } });
    const eur = await world.makeLimit({ dimension: 'money', currency: 'eur', scope: { agentIds: ['payer'] } });
    const effect = await world.dispatched([money(10, 'usd'), money(20, 'eur')], NOON, { agentId: 'payer' });
    await world.move(effect, SUCCEEDED, { settledImpact: [money(4, 'eur')] });
    expect(await world.used(usd)).toEqual([0, 10]);
    expect(await world.used(eur)).toEqual([0, 4]);
  });
});

describe('a limit shows', () => {
  test('what is held because nobody knows, of every period', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, period: 'day', cap: 100 });
    const effects = [];
    for (const amount of [1, 2, 4, 8]) {
      effects.push(await world.dispatched([{ dimension, amount, bound: 'exact' }]));
    }
    await Promise.all(
      effects.map((effect, at) => world.move(effect, [UNKNOWN, UNKNOWN, PENDING, SUCCEEDED][at] ?? FAILED)),
    );
    expect(await world.limit(id)).toMatchObject({ reserved: 7, settled: 8, exposures: { unknown: 3, pending: 4 } });
    const later = await world.limit(id, new Date('2026-11-23T00:00:00Z'));
    expect(later).toMatchObject({ reserved: 0, settled: 0, available: 100, exposures: { unknown: 3, pending: 4 } });
  });

  test('each threshold that was reached and the first refusal, once for each period', async () => {
    const dimension = ownDimension();
    const id = await world.makeLimit({ dimension, period: 'day', cap: 10, thresholds: [50, 80, 100] });
    const take = async (amount: number) =>
      world.dispatch(await world.makeEffect([{ dimension, amount, bound: 'exact' }]));
    await take(4);
    expect((await world.limit(id)).crossings).toEqual([]);
    await take(4);
    await take(3);
    await take(3);
    await take(1);
    const crossing = { period: '2026-11-21', cap: 10, crossedAt: expect.any(Date) as Date };
    const { crossings } = await world.limit(id);
    expect(crossings.toSorted((left, right) => (left.threshold ?? 999) - (right.threshold ?? 999))).toEqual([
      { ...crossing, threshold: 50, used: 8, requested: null },
      { ...crossing, threshold: 80, used: 8, requested: null },
      { ...crossing, threshold: null, used: 8, requested: 3 },
    ]);
    await take(1);
    expect((await world.limit(id)).crossings.map(({ threshold }) => threshold).includes(100)).toBe(true);
    const tomorrow = new Date('2026-11-22T12:00:00Z');
    const effect = await world.makeEffect([{ dimension, amount: 5, bound: 'exact' }]);
    expect(await world.dispatch(effect, tomorrow)).toBeNull();
    expect((await world.limit(id, tomorrow)).crossings).toMatchObject([{ threshold: 50, period: '2026-11-22' }]);
  });

  test('nothing available where the cap was lowered below what is used', async () => {
    const id = await world.makeLimit({ dimension: ownDimension(), cap: 10 });
    const { dimension } = await world.limit(id);
    await world.dispatched([{ dimension, amount: 9, bound: 'exact' }]);
    await world.transaction((tx) => tx.raw(null, 'UPDATE impact_limits SET cap = 5 WHERE id = ?', [id]));
    expect(await world.limit(id)).toMatchObject({ cap: 5, reserved: 9, available: 0 });
    const refusal = await world.dispatch(await world.makeEffect([{ dimension, amount: 1, bound: 'exact' }]));
    expect(refusal?.message).toContain('has 0 of 5');
  });
});

test('amounts are exact to the last unit', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const dimension = ownDimension();
  const id = await world.makeLimit({ dimension, cap: most });
  const quantity: ImpactQuantity = { dimension, amount: most, bound: 'exact' };
  const beyond = await world.dispatch(await world.makeEffect([quantity, quantity]));
  expect(beyond?.code).toBe('impact_limit_exceeded');
  const effect = await world.dispatched([quantity]);
  expect(await world.reservations(effect)).toMatchObject([{ amount: most }]);
  expect(await world.limit(id)).toMatchObject({ cap: most, reserved: most, available: 0 });
});
