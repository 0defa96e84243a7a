import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { REVERSAL_READS_MAX } from '../../../domain/reconciliation/schedule.ts';
import type { InvocationState } from '../../../domain/refs.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, newEffect, runWorkflow } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const DAY_MS = 86_400_000;
const stands: InvocationState = { status: 'succeeded', grade: 'confirmed', stage: 'settled', effectId: 'eff_1' };
const reversed: InvocationState = { ...stands, status: 'failed', grade: 'failed' };

async function watch(
  settledForMs: number,
  reversedAfter: number,
): Promise<{ reads: number; plans: (string | null)[] }> {
  let reads = 0;
  const plans: (string | null)[] = [];
  const { activities } = doubles({
    beginReversalWatch: async () => ({ state: stands, settledForMs }),
    readBackEffect: async () => {
      if (++reads === 2) throw ApplicationFailure.nonRetryable('the provider is away');
      return { impliedOutcome: 'succeeded' };
    },
    settleReversal: async () => (reads >= reversedAfter ? reversed : stands),
    planReversalRead: async (_input, nextAt) => void plans.push(nextAt),
  });
  await runWorkflow(environment, 'watchReversal', [newEffect()], activities);
  return { reads, plans };
}

describe('watchReversal', () => {
  test('reads once a day for thirty days, and says at the end that it reads no more', async () => {
    const { reads, plans } = await watch(DAY_MS, Number.POSITIVE_INFINITY);
    expect(reads).toBe(REVERSAL_READS_MAX);
    expect(plans.at(-1)).toBeNull();
    expect(plans.slice(0, -1)).not.toContain(null);
  });

  test('ends with the read that finds it reversed, over reads that fail', async () => {
    expect((await watch(DAY_MS, 4)).reads).toBe(4);
  });

  test('begun again, reads on for what is left of the thirty days', async () => {
    expect((await watch(26 * DAY_MS, Number.POSITIVE_INFINITY)).reads).toBe(5);
  });

  test('does nothing for what no longer stands', async () => {
    const { activities, calls } = doubles({
      beginReversalWatch: async () => ({ state: reversed, settledForMs: DAY_MS }),
    });
    expect(await runWorkflow(environment, 'watchReversal', [newEffect()], activities)).toEqual(reversed);
    expect(calls).toEqual(['beginReversalWatch']);
  });
});
