import { describe, expect, it } from 'vitest';
import { deliveryStatusOf, latenessOf } from '../../../domain/analytics/schedule-executions.ts';

describe('the delivery of what a schedule published', () => {
  it.each([
    [[], null],
    [['delivered'], 'delivered'],
    [['delivered', 'failed'], 'failed'],
    [['delivered', 'failed', 'scheduled'], 'pending'],
    [['processing'], 'pending'],
    [['delivered', 'cancelled'], 'cancelled'],
    [['failed', 'cancelled'], 'failed'],
  ] as const)('of %j is %j', (statuses, expected) => {
    expect(deliveryStatusOf(statuses)).toBe(expected);
  });
});

describe('the lateness of a run', () => {
  const nominalAt = new Date('2026-11-27T09:00:00.000Z');

  it('is the time from its slot to its messages, and null where nothing was published', () => {
    const firedAt = new Date('2026-11-27T09:00:01.250Z');
    expect(latenessOf({ outcome: 'published', nominalAt, firedAt })).toBe(1_250);
    for (const outcome of ['queued', 'waiting', 'skipped', 'failed', 'missed'] as const) {
      expect(latenessOf({ outcome, nominalAt, firedAt })).toBeNull();
    }
  });

  it('is 0 where a clock behind ours says that the run came early', () => {
    expect(latenessOf({ outcome: 'published', nominalAt, firedAt: new Date('2026-11-27T08:59:59.990Z') })).toBe(0);
  });
});
