import { describe, expect, it } from 'vitest';
import { OFFERS, termsOf } from '../../../domain/billing/plan-terms.ts';
import { METERS, PRICING_POLICY } from '../../../domain/billing/pricing-policy.ts';
import { ALLOWANCES, PLAN_TABLE, PLANS } from '../../../domain/plans.ts';

describe('the terms of a plan', () => {
  it('offers every plan of the table once, in its order', () => {
    expect(OFFERS.map(({ id, name }) => [id, name])).toEqual(PLANS.map((plan) => [plan, PLAN_TABLE[plan].title]));
  });

  it.each(PLANS)('%s has the figures of the table, and `unlimited` where the table has none', (plan) => {
    const { limits } = termsOf(plan);
    const { allowances, rateLimit, environments, storageBytes } = PLAN_TABLE[plan];
    expect(limits).toMatchObject({
      maxEnvironments: environments,
      requestsPerMinute: rateLimit?.perMinute ?? 'unlimited',
      requestsPerHour: rateLimit?.perHour ?? 'unlimited',
      executionsPerMonth: allowances.executions ?? 'unlimited',
      messagesPerMonth: allowances.messages ?? 'unlimited',
      egressBytesPerMonth: allowances.egress ?? 'unlimited',
      memoryOperationsPerMonth: allowances.memory_processing ?? 'unlimited',
      notificationEmailsPerMonth: allowances.notification_emails ?? 'unlimited',
      storageBytes: storageBytes ?? 'unlimited',
    });
  });

  it('states the allowances of the beta for Early Beta Access alone, with 500 e-mails and 3 environments', () => {
    const stated = PLANS.map((plan) => termsOf(plan).betaAllowances).filter((allowances) => allowances !== null);
    expect(stated).toEqual([expect.objectContaining({ environments: 3, notificationEmails: 500 })]);
  });

  it('has a price only where nothing is charged, while paid plans are closed', () => {
    for (const { price, available } of OFFERS) expect(available).toBe(price?.amount === 0);
  });
});

describe('the pricing policy', () => {
  it('names every allowance as a meter, in its order', () => {
    expect(METERS.map(({ id }) => id)).toEqual(ALLOWANCES);
  });

  it('shows the offers of the plans', () => {
    expect(PRICING_POLICY.plans).toBe(OFFERS);
  });
});
