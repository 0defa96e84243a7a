import { describe, expect, it } from 'vitest';
import { HELD_NAMES, type HeldName, QUOTA_NAMES, quotasOf } from '../../../domain/billing/quotas.ts';
import { PLAN_TABLE, type PlanName } from '../../../domain/plans.ts';

const held = Object.fromEntries(HELD_NAMES.map((name) => [name, { used: 0, limit: 100 }])) as Record<
  HeldName,
  { used: number; limit: number }
>;
const quotas = (plan: PlanName, executions: number, egress = 0) =>
  quotasOf({
    plan,
    resetsAt: new Date('2026-12-01T00:00:00.000Z'),
    used: { executions, messages: 0, egress, memory_processing: 0, notification_emails: 0 },
    storageBytes: 0,
    environments: 1,
    held,
  });
const named = (all: ReturnType<typeof quotas>, name: string) => all.find((quota) => quota.name === name);

describe('quotas', () => {
  it('name the allowances, storage, environments and every cap of an environment, in this order', () => {
    expect(quotas('growth', 0).map(({ name }) => name)).toEqual([...QUOTA_NAMES]);
  });

  it.each([
    [0, 0, 'ok', 1_000],
    [799, 79.9, 'ok', 201],
    [800, 80, 'warning', 200],
    [999, 99.9, 'warning', 1],
    [1_000, 100, 'exceeded', 0],
    [1_200, 100, 'exceeded', 0],
    [-1, 0, 'ok', 1_000],
  ])('of 1,000 executions with %i used: %d %%, %s', (used, percentUsed, status, remaining) => {
    expect(named(quotas('free', used), 'executions')).toMatchObject({ percentUsed, status, remaining, limit: 1_000 });
  });

  it('have no percentage without a limit', () => {
    const quota = named(quotas('enterprise', 5), 'executions');
    expect(quota).toMatchObject({
      limit: 'unlimited',
      remaining: 'unlimited',
      percentUsed: null,
      status: 'ok',
      used: 5,
    });
  });

  it('know egress after the fact, and reset nothing but the month', () => {
    const all = quotas('free', 0, 2 * (PLAN_TABLE.free.allowances.egress ?? 0));
    expect(named(all, 'egressBytes')).toMatchObject({ enforcement: 'after_the_fact', status: 'exceeded' });
    expect(named(all, 'storageBytes')).toMatchObject({ period: 'none', resetsAt: null, enforcement: 'hard' });
    expect(named(all, 'executions')?.resetsAt).toBe('2026-12-01T00:00:00.000Z');
  });
});
