import { describe, expect, test } from 'vitest';
import type { ImpactDeclaration, ImpactQuantity } from '../../../domain/actions.ts';
import { observedImpact, type ObservedResponse } from '../../../domain/impact-limits/observe.ts';
import type { SettledImpact } from '../../../domain/impact.ts';
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
const answered = (body: Json, status = 201) => ({ status, headers: { 'x-used': '7', 'x-more': '7.5' }, body });
const observe = (
  declarations: ImpactDeclaration[],
  impact: ImpactQuantity[],
  response: ObservedResponse | null,
  reported: SettledImpact | null = null,
) => observedImpact({ declarations, reported }, impact, response);
const settled = (body: Json) => observe([declared()], [quantity()], answered(body))?.map(({ amount }) => amount);

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

test('status and headers are in reach; a header counts where it is digits alone, whatever the case of its name', () => {
  const at = (path: string) => observe([declared({ observed: { path } })], [quantity()], answered({}, 207));
  expect(at('status')).toEqual([quantity({ amount: 207 })]);
  expect(at('headers.x-used')).toEqual([quantity({ amount: 7 })]);
  expect(at('headers["X-Used"]')).toEqual([quantity({ amount: 7 })]);
  expect(at('headers.x-more')).toEqual([quantity()]);
});

test('says nothing where nothing is to be observed, or nothing was answered', () => {
  const { observed: _observed, ...plain } = declared();
  expect(observe([plain], [quantity()], answered({ charged: 1 }))).toBeNull();
  expect(observe([declared()], [quantity()], null)).toBeNull();
});

test('each quantity goes by its own declaration, and the others count in full', () => {
  const emails = { dimension: 'emails' };
  const { observed: _observed, ...money } = declared();
  expect(
    observe(
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
  expect(observe([declared()], [quantity({ bound: 'exact' })], answered({ charged: 1 }))).toEqual([
    quantity({ bound: 'exact' }),
  ]);
  expect(observe([declared(), declared()], [quantity()], answered({ charged: 1 }))).toEqual([quantity()]);
});

describe('what the adapter reports', () => {
  const { observed: _observed, ...plain } = declared();
  const usd = (amount: number) => ({ dimension: 'money', currency: 'usd', amount });
  const reportedAs = (...reported: SettledImpact) =>
    observe([plain], [quantity()], answered({ charged: 1 }), reported)?.map(({ amount }) => amount);

  test('an upper bound settles to it', () => {
    expect([reportedAs(usd(0)), reportedAs(usd(250)), reportedAs(usd(900))]).toEqual([[0], [250], [900]]);
  });

  test.each<[string, SettledImpact]>([
    ['missing', []],
    ['in another currency', [{ ...usd(250), currency: 'eur' }]],
    ['in another dimension', [{ dimension: 'emails', amount: 250 }]],
    ['said twice', [usd(100), usd(150)]],
    ['above what was declared', [usd(901)]],
    ['negative', [usd(-1)]],
    ['fractional', [usd(12.5)]],
    ['no number', [usd(Number.NaN)]],
  ])('a report that is %s settles in full', (_what, reported) => {
    expect(reportedAs(...reported)).toEqual([900]);
  });

  test('the path of a declaration comes first, and what it does not find settles in full', () => {
    const at = (body: Json) => observe([declared()], [quantity()], answered(body), [usd(5)]);
    expect([at({ charged: 250 }), at({})]).toEqual([[quantity({ amount: 250 })], [quantity()]]);
  });

  test('an exact quantity, and each of several of one kind, counts in full', () => {
    const exact = quantity({ bound: 'exact' });
    expect(observe([plain], [exact], answered({}), [usd(5)])).toEqual([exact]);
    const two = [quantity(), quantity({ amount: 400 })];
    expect(observe([plain, plain], two, answered({}), [usd(5)])).toEqual(two);
  });

  test('without a response it is not asked', () => {
    expect(observe([plain], [quantity()], null, [usd(5)])).toBeNull();
  });
});
