import { type Allowance, ALLOWANCES, PLAN_TABLE, type PlanName } from '../plans.ts';
import { divideHalfUp, secondsBetween, wholeNumber } from './exact.ts';
import { lastPlanOf, type MonthFacts, type ReversedExecutions, type SettledExecutions } from './month-facts.ts';
import { isoPeriod, type Period, periodOf } from './periods.ts';
import type { Cap, UnitPrice } from './plan-terms.ts';
import { hasCharges, type PlanPrices, type PriceList } from './price-list.ts';
import { type Proration, restOf } from './proration.ts';

export const LINE_TYPES = ['plan', 'usage', 'proration', 'correction', 'credit', 'tax'] as const;
/** A line of an invoice or of an estimate. Amounts are minor units of its currency. */
export interface LineDraft {
  type: (typeof LINE_TYPES)[number];
  meter: Allowance | null;
  description: string;
  period: { start: string; end: string };
  /** Null for a line that meters nothing. */
  meteredQuantity: number | null;
  includedQuantity: Cap | null;
  billableQuantity: number | null;
  unitPrice: UnitPrice | null;
  /** Negative for what is given back. */
  amount: number;
  proration: Proration | null;
  corrects: { invoiceId: string; lineId: string } | null;
}

const NOUNS: Record<Allowance, string> = {
  executions: 'Executions',
  messages: 'Messages',
  egress: 'Bytes of egress',
  memory_processing: 'Memory operations',
  notification_emails: 'Notification e-mails',
};

/** A month's lines. Each usage line is rounded once, half up. None if no plan of the month costs anything. */
export function linesOf(facts: MonthFacts, prices: PriceList): LineDraft[] {
  const usage = ALLOWANCES.flatMap((meter) =>
    meter === 'executions'
      ? facts.executions.flatMap((settled) => executionLine(facts, settled, prices))
      : usageLine(facts, { meter, metered: facts.used[meter], plan: lastPlanOf(facts) }, prices),
  );
  return [...planLines(facts, prices), ...usage, ...facts.reversals.flatMap((one) => correctionLine(one, prices))];
}

/** What lines come to, in minor units. */
export function sumOfLines(lines: readonly Pick<LineDraft, 'amount'>[]): number {
  return wholeNumber(lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
}

/** Whether the workspace had a plan in the month that costs anything. */
export function isCharged(facts: Pick<MonthFacts, 'firstPlan' | 'changes'>, prices: PriceList): boolean {
  return [facts.firstPlan, ...facts.changes.map(({ to }) => to)].some((plan) => hasCharges(prices.pricesOf(plan)));
}

/** The price of the plan that the month begins with; then, for each change, what is left of the old one back and of the new one charged. */
function planLines(facts: MonthFacts, prices: PriceList): LineDraft[] {
  const month = periodOf(facts.month);
  const since = facts.madeAt === null ? month.start : new Date(facts.madeAt);
  const first = facts.madeAt === null ? wholePrice(facts.firstPlan, month, prices) : null;
  const made = facts.madeAt === null ? [] : restLines(null, facts.firstPlan, { month, since, prices });
  let plan = facts.firstPlan;
  const changes = facts.changes.flatMap(({ to, at }) => {
    const lines = restLines(plan, to, { month, since: new Date(at), prices });
    plan = to;
    return lines;
  });
  return [...(first === null ? [] : [first]), ...made, ...changes];
}

function wholePrice(plan: PlanName, month: Period, prices: PriceList): LineDraft | null {
  const { price } = prices.pricesOf(plan);
  if (price === null || price.amount === 0) return null;
  const { title } = PLAN_TABLE[plan];
  return {
    ...UNMETERED,
    type: 'plan',
    description: `${title}, the month`,
    period: isoPeriod(month),
    amount: price.amount,
  };
}

function restLines(
  from: PlanName | null,
  to: PlanName,
  { month, since, prices }: { month: Period; since: Date; prices: PriceList },
): LineDraft[] {
  const rest = { start: since, end: month.end };
  const proration: Proration = {
    fromPlan: from,
    toPlan: to,
    seconds: wholeNumber(secondsBetween(month.start, month.end) - secondsBetween(month.start, since)),
    ofSeconds: wholeNumber(secondsBetween(month.start, month.end)),
  };
  const line = (plan: PlanName, sign: bigint, what: string): LineDraft[] => {
    const amount = prices.pricesOf(plan).price?.amount ?? 0;
    if (amount === 0) return [];
    return [
      {
        ...UNMETERED,
        type: sign < 0n ? 'credit' : 'proration',
        description: `${PLAN_TABLE[plan].title}, ${what}`,
        period: isoPeriod(rest),
        amount: wholeNumber(sign * restOf(BigInt(amount), month, since)),
        proration,
      },
    ];
  };
  return [...(from === null ? [] : line(from, -1n, 'unused rest of the month')), ...line(to, 1n, 'rest of the month')];
}

/** Where a meter has no price, nothing is charged and no line is made. */
function usageLine(
  { month }: Pick<MonthFacts, 'month'>,
  { meter, metered, plan }: { meter: Allowance; metered: number; plan: PlanName },
  prices: PriceList,
): LineDraft[] {
  const terms = prices.pricesOf(plan);
  const unitPrice = rateOf(terms, meter);
  return unitPrice === null ? [] : [metering({ meter, metered, month, unitPrice, included: terms.included[meter] })];
}

/** Executions of an earlier month have what that month's allowance still had to give. */
function executionLine({ month }: MonthFacts, settled: SettledExecutions, prices: PriceList): LineDraft[] {
  const { admittedIn, plan, billedBefore, succeeded } = settled;
  const terms = prices.pricesOf(plan);
  const unitPrice = rateOf(terms, 'executions');
  const isLate = admittedIn !== month;
  if (unitPrice === null || (isLate && succeeded === 0)) return [];
  const included = leftOf(terms.included.executions, billedBefore);
  const line = metering({ meter: 'executions', metered: succeeded, month: admittedIn, unitPrice, included });
  return [isLate ? { ...line, description: `${NOUNS.executions} of ${admittedIn} that settled later` } : line];
}

/** Takes back what executions were charged: by how much their month's quantity shrinks, if an invoice charged them. */
function correctionLine(one: ReversedExecutions, prices: PriceList): LineDraft[] {
  const { admittedIn, plan, billedBefore, reversed, corrects } = one;
  const terms = prices.pricesOf(plan);
  const unitPrice = rateOf(terms, 'executions');
  if (unitPrice === null || corrects === null) return [];
  const included = terms.included.executions;
  const billable = beyond(billedBefore, included) - beyond(billedBefore - reversed, included);
  return [
    {
      type: 'correction',
      meter: 'executions',
      description: `${NOUNS.executions} of ${admittedIn} that their provider took back`,
      period: isoPeriod(periodOf(admittedIn)),
      meteredQuantity: -reversed,
      includedQuantity: included,
      billableQuantity: billable === 0 ? 0 : -billable,
      unitPrice,
      amount: wholeNumber(-amountOf(billable, unitPrice)),
      proration: null,
      corrects,
    },
  ];
}

interface Metered {
  meter: Allowance;
  metered: number;
  month: string;
  unitPrice: UnitPrice;
  included: Cap;
}

function metering({ meter, metered, month, unitPrice, included }: Metered): LineDraft {
  const billable = beyond(metered, included);
  return {
    type: 'usage',
    meter,
    description: `${NOUNS[meter]} beyond what is included`,
    period: isoPeriod(periodOf(month)),
    meteredQuantity: metered,
    includedQuantity: included,
    billableQuantity: billable,
    unitPrice,
    amount: wholeNumber(amountOf(billable, unitPrice)),
    proration: null,
    corrects: null,
  };
}

/** `billable × amount / per`, rounded once, half up, to the minor unit. */
export function amountOf(billable: number, { amount, per }: UnitPrice): bigint {
  return divideHalfUp(BigInt(billable) * BigInt(amount), BigInt(per));
}

function rateOf({ rates }: PlanPrices, meter: Allowance): UnitPrice | null {
  return rates.find((rate) => rate.meter === meter)?.unitPrice ?? null;
}

function beyond(metered: number, included: Cap): number {
  return included === 'unlimited' ? 0 : Math.max(0, metered - included);
}

function leftOf(included: Cap, billedBefore: number): Cap {
  return included === 'unlimited' ? included : Math.max(0, included - billedBefore);
}

const UNMETERED = {
  meter: null,
  meteredQuantity: null,
  includedQuantity: null,
  billableQuantity: null,
  unitPrice: null,
  proration: null,
  corrects: null,
};
