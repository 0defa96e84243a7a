import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InvocationState } from '../../../domain/refs.ts';
import { createTimeSkippingEnvironment } from '../../harness/temporal.ts';
import { doubles, runWorkflow } from '../harness.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  environment = await createTimeSkippingEnvironment();
});
afterAll(async () => {
  await environment.teardown();
});

const input = () => ({
  invocationId: 'inv_1',
  workspaceId: randomUUID(),
  environmentId: randomUUID(),
  effectId: `eff_${randomUUID()}`,
  actionName: 'refund.create',
  attemptId: 'att_1',
  timeoutMs: 1_000,
});
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

  test('never sends a second time what did not report back, and settles from the record', async () => {
    const { activities, calls } = doubles({
      sendReplay: () => Promise.reject(ApplicationFailure.retryable('the worker was lost')),
      settleReplay: async () => held,
    });
    expect(await runWorkflow(environment, 'replayEffect', [input()], activities)).toEqual(held);
    expect(calls).toEqual(['sendReplay', 'settleReplay']);
  });
});
