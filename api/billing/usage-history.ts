import type { z } from 'zod';
import { type DayOfUsage, readDailyUsage } from '../../db/billing/usage.ts';
import { readSubscription } from '../../db/billing/month-facts.ts';
import { historyRange, isRangeIssue, monthsOf, sumOf } from '../../domain/billing/usage-history.ts';
import { validationError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { usageHistoryQuery, usageHistorySchema } from './schemas.ts';

export const usageHistoryRoute = defineRoute({
  of: 'environment',
  id: 'billing.usageHistory',
  method: 'GET',
  path: '/api/v2/billing/usage/history',
  summary: 'List what the workspace used on each day',
  description:
    'UTC days, the oldest first, zeros included, at most 400 of them; months and totals are sums of these days. An invocation counts ' +
    'on the day of its admission. One that is given back, because it could not be started or was resolved as failed, is taken from that day.',
  scope: 'billing:read',
  role: 'admin',
  request: { query: usageHistoryQuery },
  response: { 200: usageHistorySchema },
  async read(tx, { query }) {
    const { now, workspaceSince } = await readSubscription(tx);
    const asked = { ...(query.from && { from: query.from }), ...(query.to && { to: query.to }) };
    const range = historyRange(asked, { now, workspaceSince });
    if (isRangeIssue(range)) throw validationError([{ path: `query.${range.name}`, message: range.message }]);
    return presentHistory(await readDailyUsage(tx, range));
  },
});

function presentHistory(days: DayOfUsage[]): z.input<typeof usageHistorySchema> {
  const counted = days.map(({ date, complete, ...used }) => ({ date, complete, counts: countsOf(used) }));
  return {
    timezone: 'UTC',
    days: counted.map(({ date, complete, counts }) => ({ date, complete, ...counts })),
    months: monthsOf(counted).map(({ month, counts }) => ({ month, ...counts })),
    totals: sumOf(counted.map(({ counts }) => counts)),
  };
}

function countsOf(used: Omit<DayOfUsage, 'date' | 'complete'>) {
  return {
    executions: used.executions,
    messages: used.messages,
    egressBytes: used.egress,
    memoryOperations: used.memory_processing,
    notificationEmails: used.notification_emails,
  };
}
