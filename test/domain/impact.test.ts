import { expect, it } from 'vitest';
import { declaredImpact, impactDeclarationsSchema } from '../../domain/impact.ts';
import type { Json } from '../../domain/json.ts';

const money = { dimension: 'money', currency: 'usd', amount: { path: 'input.order.amount' }, bound: 'exact' as const };

it('takes declared amounts from the input', () => {
  const rows = { dimension: 'resource_mutations', amount: { const: 3 }, bound: 'upper_bound' as const };
  expect(declaredImpact([money, rows], { order: { amount: 1250 } })).toEqual({
    ok: true,
    quantities: [
      { dimension: 'money', currency: 'usd', amount: 1250, bound: 'exact' },
      { dimension: 'resource_mutations', amount: 3, bound: 'upper_bound' },
    ],
  });
  expect(declaredImpact([money], { order: { amount: 0 } })).toMatchObject({ ok: true });
  expect(declaredImpact([], {})).toEqual({ ok: true, quantities: [] });
});

it.each<[string, Json]>([
  ['missing', {}],
  ['null', { amount: null }],
  ['text', { amount: '100' }],
  ['a flag', { amount: true }],
  ['a list', { amount: [100] }],
  ['negative', { amount: -1 }],
  ['negative zero', { amount: -0 }],
  ['fractional', { amount: 10.5 }],
  ['inexact', { amount: 2 ** 53 }],
  ['huge', { amount: 1e300 }],
])('refuses an amount that is %s', (_, order) => {
  expect(declaredImpact([money], { order })).toMatchObject({ ok: false, refusal: { code: 'impact_unbounded' } });
});

it.each<[string, Record<string, unknown>, boolean]>([
  ['money with a currency', {}, true],
  ['money without one', { currency: undefined }, false],
  ['a currency in capitals', { currency: 'USD' }, false],
  ['another dimension with a currency', { dimension: 'emails' }, false],
  ['another dimension', { dimension: 'emails', currency: undefined }, true],
  ['a dimension in capitals', { dimension: 'Emails', currency: undefined }, false],
  ['a long dimension', { dimension: 'a'.repeat(33), currency: undefined }, false],
  ['a path outside of the input', { amount: { path: 'response.amount' } }, false],
  ['a broken path', { amount: { path: 'input..x' } }, false],
  ['a negative constant', { amount: { const: -1 } }, false],
  ['path and constant', { amount: { path: 'input.x', const: 1 } }, false],
  ['an unknown bound', { bound: 'lower_bound' }, false],
  ['an unknown member', { unit: 'x' }, false],
  ['what to observe of a bound', { bound: 'upper_bound', observed: { path: 'body.charged' } }, true],
  ['what to observe in a header', { bound: 'upper_bound', observed: { path: 'headers["x-used"]' } }, true],
  ['what to observe of an exact amount', { observed: { path: 'body.charged' } }, false],
  ['what to observe outside of the response', { bound: 'upper_bound', observed: { path: 'input.amount' } }, false],
  ['a broken path to observe', { bound: 'upper_bound', observed: { path: 'body..x' } }, false],
  ['a constant to observe', { bound: 'upper_bound', observed: { const: 1 } }, false],
])('a declaration of %s', (_, changes, fits) => {
  const declaration = JSON.parse(JSON.stringify({ ...money, ...changes })) as unknown;
  expect(impactDeclarationsSchema.safeParse([declaration]).success).toBe(fits);
});
