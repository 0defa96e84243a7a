import { expect, it } from 'vitest';
import { headlineOfUsage } from '../../../domain/mcp/usage-headline.ts';

const resetsAt = '2026-12-01T00:00:00.000Z';
const items = [
  { meter: 'executions', used: 3, workspace: { used: 5, limit: 10_000 } },
  { meter: 'messages', used: 1, workspace: { used: 2, limit: 'unlimited' as const } },
];
const sums = { used: { total: 20_000 }, reserved: { total: 10_000 }, unit: 'microcents' };

it.each([
  [null, 'This key has no budget.'],
  [{ caps: { total: 50_000 }, ...sums }, "This key's budget: 20000 microcents are used and 10000 reserved of 50000."],
  [{ caps: {}, ...sums }, "This key's budget caps single kinds; 20000 microcents are used and 10000 reserved."],
])('says what is left and when it begins again, for the budget %j', (budget, said) => {
  expect(headlineOfUsage({ resetsAt, items, budget })).toBe(
    `USAGE of the workspace this month: executions 5 of 10000, messages 2 of unlimited. ${said} All begin again at ${resetsAt}.`,
  );
});
