import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PENDING_READS_MAX, UNKNOWN_READ_TIMES_MS } from '../../../domain/reconciliation-schedule.ts';
import type { EffectRef, InvocationState } from '../../../domain/refs.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  environment = await createTimeSkippingEnvironment();
});
afterAll(async () => {
  await environment.teardown();
});

const input = (): EffectRef => ({
  invocationId: 'inv_1',
  workspaceId: randomUUID(),
  environmentId: randomUUID(),
  effectId: `eff_${randomUUID()}`,
  actionName: 'refund.create',
});
const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId: 'eff_1' };
const pending: InvocationState = {
  status: 'dispatching',
  grade: 'pending',
  stage: 'reconciling',
  effectId: 'eff_1',
};
const confirmed: InvocationState = { status: 'succeeded', grade: 'confirmed', stage: 'settled', effectId: 'eff_1' };

describe('reconcileEffect', () => {
  test('walks the whole schedule by reading, and ends exhausted after a day', async () => {
    const readAtMs: number[] = [];
    let exhaustedAfter = -1;
    const { activities, calls } = doubles({
      settleInvocation: async () => held,
      planReconciliation: async () => {},
      readBackEffect: async () => {
        readAtMs.push(await environment.currentTimeMs());
        return { impliedOutcome: 'unknown' };
      },
      exhaustReconciliation: async (_input, attempts) => {
        exhaustedAfter = attempts;
      },
    });
    const startedAtMs = await environment.currentTimeMs();
    expect(await runWorkflow(environment, 'reconcileEffect', [input()], activities)).toEqual(held);
    expect(exhaustedAfter).toBe(UNKNOWN_READ_TIMES_MS.length);
    expect(calls).not.toContain('dispatchEffect');
    for (const [index, at] of UNKNOWN_READ_TIMES_MS.entries()) {
      const after = (readAtMs[index] ?? Number.NaN) - startedAtMs;
      expect(after).toBeGreaterThan(at * 0.79);
      expect(after).toBeLessThan(at * 1.21 + 10_000);
    }
  });

  test('ends at once where the answer was recorded late', async () => {
    const { activities, calls } = doubles({ settleInvocation: async () => confirmed });
    expect(await runWorkflow(environment, 'reconcileEffect', [input()], activities)).toEqual(confirmed);
    expect(calls).toEqual(['settleInvocation']);
  });

  test('stops at the read that settles it, over reads that fail', async () => {
    let reads = 0;
    const { activities } = doubles({
      settleInvocation: async () => (reads >= 3 ? confirmed : held),
      planReconciliation: async () => {},
      readBackEffect: async () => {
        reads++;
        if (reads < 3) throw ApplicationFailure.nonRetryable('the provider is away');
        return { impliedOutcome: 'succeeded' };
      },
    });
    expect(await runWorkflow(environment, 'reconcileEffect', [input()], activities)).toEqual(confirmed);
    expect(reads).toBe(3);
  });

  test('reads what the provider is still at once a day, for thirty days', async () => {
    let reads = 0;
    let lastReadAtMs = 0;
    const { activities } = doubles({
      settleInvocation: async () => pending,
      planReconciliation: async () => {},
      readBackEffect: async () => {
        reads++;
        lastReadAtMs = await environment.currentTimeMs();
        return { impliedOutcome: 'pending' };
      },
      exhaustReconciliation: async () => {},
    });
    const startedAtMs = await environment.currentTimeMs();
    await runWorkflow(environment, 'reconcileEffect', [input()], activities);
    expect(reads).toBe(PENDING_READS_MAX);
    const days = (lastReadAtMs - startedAtMs) / 86_400_000;
    expect(days).toBeGreaterThan(24);
    expect(days).toBeLessThan(36);
  });

  test('says when it reads next before it waits', async () => {
    const planned: { attempts: number; nextAt: string }[] = [];
    let settles = 0;
    const { activities } = doubles({
      settleInvocation: async () => (settles++ < 2 ? held : confirmed),
      planReconciliation: async (_input, attempts, nextAt) => void planned.push({ attempts, nextAt }),
      readBackEffect: async () => ({ impliedOutcome: 'unknown' }),
    });
    const before = await environment.currentTimeMs();
    await runWorkflow(environment, 'reconcileEffect', [input()], activities);
    expect(planned.map((plan) => plan.attempts)).toEqual([0, 1]);
    expect(Date.parse(planned[0]?.nextAt ?? '') - before).toBeGreaterThan(3_000);
  });
});
