import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InvocationState } from '../../../domain/refs.ts';
import { createDevServerEnvironment, createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, newEffect, runWorkflow, withTestWorker } from '../harness.ts';

const environment = await createTimeSkippingEnvironment();

const input = () => ({ ...newEffect(), attemptId: 'att_1', timeoutMs: 1_000 });
const held: InvocationState = { status: 'unknown', grade: 'unknown', stage: 'reconciling', effectId: 'eff_1' };
const accepted: InvocationState = { ...held, status: 'succeeded', grade: 'acknowledged', stage: 'settled' };

describe('replayEffect', () => {
  test('sends once, settles, and survives that no reconciliation is there to be told', async () => {
    const { activities, calls } = doubles({
      sendReplay: async () => ({ sent: true }),
      settleReplay: async () => accepted,
    });
    expect(await runWorkflow(environment, 'replayEffect', [input()], activities)).toEqual(accepted);
    expect(calls).toEqual(['sendReplay', 'settleReplay']);
  });

  test('queues for a place for a minute at most, and is settled then: nothing was sent', async () => {
    const askedMs: number[] = [];
    const startedAtMs = await environment.currentTimeMs();
    const { activities, calls } = doubles({
      sendReplay: async () => {
        askedMs.push((await environment.currentTimeMs()) - startedAtMs);
        return { seen: 'no_place', lookAgainMs: 25_000 };
      },
      settleReplay: async () => held,
    });
    expect(await runWorkflow(environment, 'replayEffect', [input()], activities)).toEqual(held);
    expect(calls).toEqual(['sendReplay', 'sendReplay', 'sendReplay', 'sendReplay', 'settleReplay']);
    expect(Math.max(...askedMs)).toBeGreaterThan(59_000);
    expect(Math.max(...askedMs)).toBeLessThan(70_000);
  });

  test('never sends a second time what did not report back, and settles from the record', async () => {
    const { activities, calls } = doubles({
      sendReplay: () => Promise.reject(ApplicationFailure.retryable('the worker was lost')),
      isUnclaimed: async () => false,
      settleReplay: async () => held,
    });
    expect(await runWorkflow(environment, 'replayEffect', [input()], activities)).toEqual(held);
    expect(calls).toEqual(['sendReplay', 'isUnclaimed', 'settleReplay']);
  });

  test('gives out again, within its minute, what was lost before anybody claimed it', async () => {
    const asked: unknown[] = [];
    const { activities, calls } = doubles({
      sendReplay: () =>
        asked.length === 0
          ? Promise.reject(ApplicationFailure.retryable('the task was lost on its way'))
          : Promise.resolve({ sent: true }),
      isUnclaimed: async (call) => {
        asked.push(call.attemptId);
        return true;
      },
      settleReplay: async () => accepted,
    });
    expect(await runWorkflow(environment, 'replayEffect', [input()], activities)).toEqual(accepted);
    expect(calls).toEqual(['sendReplay', 'isUnclaimed', 'sendReplay', 'settleReplay']);
    expect(asked).toEqual(['att_1']);
  });
});

describe('a reconciliation that waits, while the effect is replayed', () => {
  let real: TestWorkflowEnvironment;
  beforeAll(async () => {
    real = await createDevServerEnvironment();
  });
  afterAll(async () => {
    await real.teardown();
  });

  test.each<[string, InvocationState]>([
    ['settled', accepted],
    ['at its provider now', { ...held, status: 'dispatching', grade: 'pending' }],
  ])('is told where the effect is %s: it looks, and need not wait for its next read', async (_, state) => {
    const [taskQueue, replaying] = [randomUUID(), input()];
    const { attemptId: _attemptId, timeoutMs: _timeoutMs, ...effect } = replaying;
    const progress = { exhausted: false, unknownForMs: 0, dispatchedForMs: 0, settledForMs: 0 };
    const { activities, calls } = doubles({
      beginReconciliation: async () => ({ state: held, ...progress }),
      planReconciliation: async () => {},
      sendReplay: async () => ({ sent: true }),
      settleReplay: async () => state,
      settleInvocation: async () => accepted,
      readBackEffect: async () => ({ impliedOutcome: 'succeeded' }),
    });
    await withTestWorker(real, { taskQueue, activities }, async () => {
      const { workflow } = real.client;
      const workflowId = `reconcile/${effect.effectId}`;
      const reconciling = await workflow.start('reconcileEffect', { taskQueue, workflowId, args: [effect] });
      await workflow.execute('replayEffect', { taskQueue, workflowId: randomUUID(), args: [replaying] });
      expect(await reconciling.result()).toEqual(accepted);
    });
    expect(calls).not.toContain('readBackEffect');
  });
});
