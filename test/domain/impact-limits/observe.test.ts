import { expect, test } from 'vitest';
import type { ImpactDeclaration, ImpactQuantity } from '../../../domain/actions.ts';
import { observedImpact } from '../../../domain/impact-limits/observe.ts';
import type { Json } from '../../../domain/json.ts';

const declared = (over: Partial<ImpactDeclaration> = {}): ImpactDeclaration => ({
  dimension: 'money',
  currency: 'usd',
  amount: { path: 'input.amount' },
  bound: 'upper_bound',
  observed: { path: 'body.charged' },
  ...over,
});
const quantity = (over: Partial<ImpactQuantity> = {}): ImpactQuantity => ({
  dimension: 'money',
  currency: 'usd',
  amount: 900,
  bound: 'upper_bound',
  ...over,
});
const answered = (body: Json, status = 201) => ({ status, headers: { 'x-used': '7' }, body });
const settled = (body: Json) => observedImpact([declared()], [quantity()], answered(body))?.map(({ amount }) => amount);

test.each([[0], [1], [250], [900]])('%s was observed, and is what it settles to', (charged) => {
  expect(settled({ charged })).toEqual([charged]);
});

test.each<[string, Json]>([
  ['missing', {}],
  ['above what was declared', { charged: 901 }],
  ['too large to be exact', { charged: 2 ** 53 }],
  ['negative', { charged: -1 }],
  ['a negative zero', { charged: -0 }],
  ['fractional', { charged: 12.5 }],
  ['text', { charged: '250' }],
  ['null', { charged: null }],
  ['a boolean', { charged: true }],
  ['in a body that is no object', 'charged 250'],
])('a value that is %s settles in full', (_what, body) => {
  expect(settled(body)).toEqual([900]);
});

test('status and headers are in reach; a header is text, and settles in full', () => {
  const at = (path: string) => observedImpact([declared({ observed: { path } })], [quantity()], answered({}, 207));
  expect(at('status')).toEqual([quantity({ amount: 207 })]);
  expect(at('headers.x-used')).toEqual([quantity()]);
});

test('says nothing where nothing is to be observed, or nothing was answered', () => {
  const { observed: _observed, ...plain } = declared();
  expect(observedImpact([plain], [quantity()], answered({ charged: 1 }))).toBeNull();
  expect(observedImpact([declared()], [quantity()], null)).toBeNull();
});

test('each quantity goes by its own declaration, and the others count in full', () => {
  const emails = { dimension: 'emails' };
  const { observed: _observed, ...money } = declared();
  expect(
    observedImpact(
      [
        money,
        declared(),
        declared({ dimension: 'emails', currency: undefined, observed: { path: 'body.sent' } } as never),
      ],
      [quantity(), quantity({ amount: 400 }), { ...emails, amount: 8, bound: 'upper_bound' }],
      answered({ charged: 100, sent: 3 }),
    )?.map(({ amount }) => amount),
  ).toEqual([900, 100, 3]);
});

test('what the adapter knows better than the declaration counts in full', () => {
  expect(observedImpact([declared()], [quantity({ bound: 'exact' })], answered({ charged: 1 }))).toEqual([
    quantity({ bound: 'exact' }),
  ]);
  expect(observedImpact([declared(), declared()], [quantity()], answered({ charged: 1 }))).toEqual([quantity()]);
});
