import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateOf } from '../../../domain/billing/estimate.ts';
import { decimalOf, divideHalfUp, wholeNumber } from '../../../domain/billing/exact.ts';
import { amountOf, type LineDraft, linesOf, sumOfLines } from '../../../domain/billing/invoice-lines.ts';
import type { MonthFacts } from '../../../domain/billing/month-facts.ts';
import { monthOf, periodOf } from '../../../domain/billing/periods.ts';
import { PRICE_LIST } from '../../../domain/billing/price-list.ts';
import { restOf, segmentOf } from '../../../domain/billing/proration.ts';
import { PLANS } from '../../../domain/plans.ts';
import { PRICES } from './prices.ts';

const month = (year: number, of: number): string => `${year}-${String(of).padStart(2, '0')}`;
const anyMonth = fc
  .tuple(fc.integer({ min: 2000, max: 2100 }), fc.integer({ min: 1, max: 12 }))
  .map(([year, of]) => month(year, of));

const NOTHING: MonthFacts = {
  month: '2026-10',
  madeAt: null,
  firstPlan: 'growth',
  changes: [],
  used: { messages: 0, egress: 0, memory_processing: 0, notification_emails: 0 },
  executions: [{ admittedIn: '2026-10', plan: 'growth', billedBefore: 0, succeeded: 0 }],
  reversals: [],
};
const amounts = (lines: readonly LineDraft[]) => lines.map(({ type, amount }) => [type, amount]);

describe('rounding', () => {
  it.each([
    [5n, 10n, 1n],
    [4n, 10n, 0n],
    [15n, 10n, 2n],
    [25n, 10n, 3n],
    [-5n, 10n, -1n],
    [0n, 7n, 0n],
    [10n ** 30n + 1n, 2n, 5n * 10n ** 29n + 1n],
  ])('makes %s / %s into %s: half up, away from zero', (numerator, denominator, rounded) => {
    expect(divideHalfUp(numerator, denominator)).toBe(rounded);
  });

  it('charges 100 cents for 100,000, and rounds once', () => {
    const unitPrice = { amount: 100, currency: 'usd', per: 100_000 };
    expect([499, 500, 1_499, 100_000].map((billable) => amountOf(billable, unitPrice))).toEqual([0n, 1n, 1n, 100n]);
  });

  it('cuts what people read, so that 100 % means that nothing is left', () => {
    expect([decimalOf(99_999n, 1_000n, 1), decimalOf(1n, 3n, 4), decimalOf(0n, 9n, 1)]).toEqual([99.9, 0.3333, 0]);
  });

  it('refuses a total that JSON cannot hold exactly', () => {
    expect(() => wholeNumber(2n ** 53n)).toThrow(RangeError);
  });
});

describe('a month', () => {
  it('begins at 00:00:00.000 UTC and ends before the next; February leaps', () => {
    expect(periodOf('2028-02').end.getTime() - periodOf('2028-02').start.getTime()).toBe(29 * 86_400_000);
    expect(periodOf('2027-02').end.toISOString()).toBe('2027-03-01T00:00:00.000Z');
    expect(['2026-12', '2028-02'].map((month) => monthOf(periodOf(month).end))).toEqual(['2027-01', '2028-03']);
  });

  it('however it is cut, sums to the whole', () => {
    fc.assert(
      fc.property(
        anyMonth,
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.array(fc.integer({ min: 0, max: 2_678_399_999 }), { maxLength: 8 }),
        (of, price, cuts) => {
          const period = periodOf(of);
          const length = period.end.getTime() - period.start.getTime();
          const at = [0, ...cuts.map((ms) => ms % length).sort((a, b) => a - b), length];
          const instants = at.map((ms) => new Date(period.start.getTime() + ms));
          const segments = instants
            .slice(1)
            .map((end, index) => segmentOf(BigInt(price), period, { start: instants[index] ?? period.start, end }));
          expect(segments.reduce((sum, segment) => sum + segment, 0n)).toBe(BigInt(price));
          expect(segments.every((segment) => segment >= 0n)).toBe(true);
        },
      ),
    );
  });

  it('is charged to the second: the last instant of a month has no rest, the first has all of it', () => {
    const period = periodOf('2028-02');
    expect(restOf(2_900n, period, new Date('2028-02-29T23:59:59.999Z'))).toBe(0n);
    expect(restOf(2_900n, period, new Date('2028-02-01T00:00:00.000Z'))).toBe(2_900n);
    expect(restOf(2_900n, period, new Date('2028-02-29T00:00:00.000Z'))).toBe(100n);
  });
});

describe('the lines of a month', () => {
  it('are none on the published plans, none of which charges anything', () => {
    for (const plan of PLANS) {
      const facts = { ...NOTHING, firstPlan: plan, used: { ...NOTHING.used, messages: 10 ** 9 } };
      expect(linesOf(facts, PRICE_LIST)).toEqual([]);
    }
  });

  it('have the worked example of docs/billing.md', () => {
    const facts: MonthFacts = {
      ...NOTHING,
      month: '2026-11',
      firstPlan: 'production',
      changes: [{ to: 'growth', at: '2026-11-16T00:00:00.000Z' }],
      used: { ...NOTHING.used, messages: 1_234_567 },
      executions: [
        { admittedIn: '2026-11', plan: 'growth', billedBefore: 0, succeeded: 150_000 },
        { admittedIn: '2026-10', plan: 'production', billedBefore: 99_999, succeeded: 3 },
      ],
      reversals: [
        {
          admittedIn: '2026-10',
          plan: 'production',
          billedBefore: 100_002,
          reversed: 2,
          corrects: { invoiceId: 'ivc_1', lineId: 'ivl_1' },
        },
      ],
    };
    const lines = linesOf(facts, PRICES);
    expect(lines.map(({ type, meter, billableQuantity, amount }) => [type, meter, billableQuantity, amount])).toEqual([
      ['plan', null, null, 4_900],
      ['credit', null, null, -2_450],
      ['proration', null, null, 9_950],
      ['usage', 'executions', 50_000, 5_000],
      ['usage', 'executions', 2, 0],
      ['usage', 'messages', 234_567, 235],
      ['correction', 'executions', -2, 0],
    ]);
    expect(sumOfLines(lines)).toBe(17_635);
  });

  it('chain two changes in one month', () => {
    const facts: MonthFacts = {
      ...NOTHING,
      month: '2026-11',
      firstPlan: 'production',
      changes: [
        { to: 'growth', at: '2026-11-11T00:00:00.000Z' },
        { to: 'free', at: '2026-11-21T00:00:00.000Z' },
      ],
      executions: [],
    };
    expect(amounts(linesOf(facts, PRICES))).toEqual([
      ['plan', 4_900],
      ['credit', -3_267],
      ['proration', 13_267],
      ['credit', -6_633],
    ]);
  });

  it('charge a workspace that was made in the month for its rest alone', () => {
    const facts = { ...NOTHING, month: '2026-11', madeAt: '2026-11-16T00:00:00.000Z', executions: [] };
    expect(amounts(linesOf(facts, PRICES))).toEqual([
      ['proration', 9_950],
      ['usage', 0],
    ]);
  });

  it('take back exactly what was charged, on the month of admission and its allowance', () => {
    const reversal = { admittedIn: '2026-09', plan: 'growth' as const, billedBefore: 100_500, reversed: 1_000 };
    const corrects = { invoiceId: 'ivc_1', lineId: 'ivl_1' };
    const line = linesOf({ ...NOTHING, reversals: [{ ...reversal, corrects }] }, PRICES).find(
      ({ type }) => type === 'correction',
    );
    // 1,000 were taken back, and 500 of them had been included.
    expect(line).toMatchObject({ meteredQuantity: -1_000, billableQuantity: -500, amount: -50, corrects });
    expect(line?.period.start).toBe('2026-09-01T00:00:00.000Z');
    const unbilled = linesOf({ ...NOTHING, reversals: [{ ...reversal, corrects: null }] }, PRICES);
    expect(unbilled.filter(({ type }) => type === 'correction')).toEqual([]);
  });
});

describe('an estimate', () => {
  const facts: MonthFacts = { ...NOTHING, month: '2026-11', used: { ...NOTHING.used, messages: 2_000_000 } };
  const at = (asOf: string) => estimateOf(facts, PRICES, new Date(asOf));

  it('projects nothing in the first 24 hours, little in the first week, and says so', () => {
    expect(at('2026-11-01T23:59:59.999Z').projected).toBeNull();
    expect(at('2026-11-02T00:00:00.000Z').projected).toMatchObject({ confidence: 'low', elapsedShare: 0.0333 });
    expect(at('2026-11-08T00:00:00.000Z').projected).toMatchObject({ confidence: 'normal' });
  });

  it('grows what is metered with the time that is left, and leaves the price of the plan', () => {
    const { subtotal, projected } = at('2026-11-16T00:00:00.000Z');
    expect(subtotal).toBe(19_900 + 1_000);
    expect(projected).toEqual({
      subtotal: 19_900 + 3_000,
      method: 'linear_by_elapsed_seconds',
      confidence: 'normal',
      elapsedShare: 0.5,
    });
  });

  it('says why a plan without charges has no lines', () => {
    const free = estimateOf({ ...facts, firstPlan: 'free' }, PRICE_LIST, new Date('2026-11-16T00:00:00.000Z'));
    expect(free).toMatchObject({ lines: [], subtotal: 0, reason: 'plan_has_no_charges', projected: { subtotal: 0 } });
  });
});
