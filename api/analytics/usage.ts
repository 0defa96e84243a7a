import { readEnvironmentUsage } from '../../db/analytics/environment.ts';
import { type DayOfUsage, readDailyUsage } from '../../db/billing/usage.ts';
import { dayOf, isoPeriod, monthOf, periodOf } from '../../domain/billing/periods.ts';
import { sumOf } from '../../domain/billing/usage-history.ts';
import { USAGE_NAMES, USAGE_UNITS } from '../../domain/billing/usage-names.ts';
import { DAY_MS } from '../../domain/analytics/grid.ts';
import { getBudget } from '../../db/budgets/budgets.ts';
import { ALLOWANCES, type Allowance } from '../../domain/plans.ts';
import { presentBudget } from '../budgets/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { meterQuery, usageCurrentSchema, usageHistoryDataSchema } from './usage-schemas.ts';

const HISTORY_DAYS_DEFAULT = 30;

export const usageCurrentRoute = defineRoute(
  analyticsRead({
    id: 'analytics.usageCurrent',
    path: '/api/v2/analytics/usage/current',
    summary: 'Get what was used this month',
    description:
      'The meters of this environment in the UTC month, beside those of the whole workspace, whose allowance is one for all its ' +
      'environments. They are the counters that admissions are held to: exact at the time of the reply, with nothing left to fold. ' +
      'An invocation counts when it is admitted; one that could not be started, or is resolved as failed, is given back. `budget` is ' +
      'that of the calling key.',
    range: 'month',
    exact: true,
    data: usageCurrentSchema,
    async read(tx, { caller }) {
      const [{ now, items }, budget] = await tx.inOrder(
        () => readEnvironmentUsage(tx),
        caller.type === 'api_key' ? () => getBudget(tx, caller.keyId) : null,
      );
      const period = isoPeriod(periodOf(monthOf(now)));
      return {
        data: {
          period,
          resetsAt: period.end,
          items: items.map(({ meter, used, workspace }) => ({
            meter,
            unit: USAGE_UNITS[meter],
            used,
            workspace: { used: workspace.used, limit: workspace.limit ?? ('unlimited' as const) },
          })),
          budget: budget && presentBudget(budget),
        },
      };
    },
  }),
);

export const usageHistoryRoute = defineRoute(
  analyticsRead({
    id: 'analytics.usageHistory',
    path: '/api/v2/analytics/usage/history',
    summary: 'List what was used on each day',
    description:
      'The meters of this environment on each UTC day of the range, the oldest first, zeros included; 30 days without a range. A day is ' +
      'a UTC day, as allowances are: there is no `timezone`. An invocation counts on the day of its admission. One that is given back is ' +
      'taken from that day, also when it has passed.',
    query: meterQuery,
    range: { defaultMs: HISTORY_DAYS_DEFAULT * DAY_MS, interval: 'day' },
    exact: true,
    data: usageHistoryDataSchema,
    csv: {
      columns: ['date', 'complete', ...Object.values(USAGE_NAMES)],
      records: ({ days }) => days,
    },
    async read(tx, { query: { meter }, range }) {
      const lastDay = new Date(range.to.getTime() - 1);
      const days = await readDailyUsage(tx, { from: dayOf(range.from), to: dayOf(lastDay) }, 'environment');
      const meters = meter === undefined ? ALLOWANCES : [meter];
      const counted = days.map((day) => countsOf(day, meters));
      return {
        data: {
          days: days.map(({ date, complete }, index) => ({ date, complete, ...counted[index] })),
          totals: sumOf(counted),
        },
      };
    },
  }),
);

function countsOf(day: DayOfUsage, meters: readonly Allowance[]): Record<string, number> {
  return Object.fromEntries(meters.map((meter) => [USAGE_NAMES[meter], day[meter]]));
}
