import { describe, expect, it } from 'vitest';
import {
  allowsAnotherEnvironment,
  isPlanName,
  PLAN_TABLE,
  type PlanName,
  PLANS,
  requireFeature,
  type RateWindow,
  tellingWindow,
  usageResetsAt,
} from '../../domain/plans.ts';

/** The published figures of docs/plans-and-limits.md, line by line. Changing one breaks a promise to customers. */
const STATED: [PlanName, string, number | null, number | null, number | 'unlimited' | null][] = [
  ['free', 'Free', 300, 10_000, 1],
  ['early_beta_access', 'Early Beta Access', 300, 10_000, 3],
  ['production', 'Production', 1_000, null, 2],
  ['growth', 'Growth', 1_000, null, 3],
  ['pay_as_you_go', 'Pay as You Go', null, null, null],
  ['enterprise', 'Enterprise', null, null, 'unlimited'],
];

describe('the plans', () => {
  it('are these', () => expect(STATED.map(([name]) => name)).toEqual(PLANS));

  it.each(STATED)('%s has the published figures', (name, title, perMinute, perHour, environments) => {
    const plan = PLAN_TABLE[name];
    expect(plan.title).toBe(title);
    expect(plan.rateLimit).toEqual(perMinute === null ? null : { perMinute, perHour });
    expect(environments ?? plan.environments).toBe(plan.environments);
  });

  it('Early Beta Access has 500 e-mails a month', () => {
    expect(PLAN_TABLE.early_beta_access.allowances.notification_emails).toBe(500);
  });

  it.each(PLANS)('%s: what is limited has a limit of at least one', (name) => {
    const limits = Object.values(PLAN_TABLE[name].allowances);
    expect(limits.filter((limit) => limit !== null && limit < 1)).toEqual([]);
  });

  it('bound the environments in total', () => {
    expect([0, 1].map((present) => allowsAnotherEnvironment('free', present))).toEqual([true, false]);
    expect([2, 3].map((present) => allowsAnotherEnvironment('growth', present))).toEqual([true, false]);
    expect(allowsAnotherEnvironment('enterprise', 1_000_000)).toBe(true);
  });

  it('say which of them have the feature that one lacks', () => {
    requireFeature('enterprise', 'audit_log');
    expect(() => requireFeature('free', 'audit_log')).toThrow(
      expect.objectContaining({
        code: 'FEATURE_NOT_AVAILABLE',
        message: expect.stringMatching(/Free .*the audit log.*Production/),
      }),
    );
  });

  it('are known by name only', () =>
    expect(['free', 'Free', 'toString', ''].map(isPlanName)).toEqual([true, false, false, false]));
});

describe('usage', () => {
  it.each([
    ['2026-11-21T10:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T23:00:00.000-05:00', '2028-04-01T00:00:00.000Z'],
  ])('at %s resets at %s', (now, then) => expect(usageResetsAt(new Date(now)).toISOString()).toBe(then));
});

describe('the window that a caller is told of', () => {
  const minute = (used: number): RateWindow => ({ limit: 300, used, resetsAtMs: 60_000 });
  const hour = (used: number): RateWindow => ({ limit: 10_000, used, resetsAtMs: 3_600_000 });
  it.each<[string, number, number, 300 | 10_000]>([
    ['the minute, as a rule', 1, 1, 300],
    ['the hour, once it has fewer left', 1, 9_900, 10_000],
    ['the minute, where both have the same left', 100, 9_800, 300],
    ['the one that is used up', 300, 1_000, 300],
    ['the hour, which is used up', 2, 10_000, 10_000],
    ['the one that opens last, where both are used up', 300, 10_000, 10_000],
  ])('is %s', (_, inMinute, inHour, limit) => {
    expect(tellingWindow([minute(inMinute), hour(inHour)]).limit).toBe(limit);
  });
});
