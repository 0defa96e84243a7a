import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { Activities } from '../../activities/index.ts';

/** Doubles of the activities, typed by the real ones, that remember in which order they were called. */
export interface Doubles {
  activities: Activities;
  calls: string[];
}

const unexpected = (name: string) => () => {
  throw new Error(`${name} was not expected`);
};

export function doubles(overrides: Partial<Activities>): Doubles {
  const calls: string[] = [];
  const base: Activities = {
    evaluateAndReserve: unexpected('evaluateAndReserve'),
    evaluateInvocation: unexpected('evaluateInvocation'),
    reserveAndMarkDispatch: unexpected('reserveAndMarkDispatch'),
    dispatchEffect: unexpected('dispatchEffect'),
    settleInvocation: unexpected('settleInvocation'),
    watchApproval: unexpected('watchApproval'),
    remindApproval: unexpected('remindApproval'),
    expireApproval: unexpected('expireApproval'),
    cancelApproval: unexpected('cancelApproval'),
    readBackEffect: unexpected('readBackEffect'),
    observeTarget: unexpected('observeTarget'),
    observeDraft: unexpected('observeDraft'),
    planReconciliation: unexpected('planReconciliation'),
    exhaustReconciliation: unexpected('exhaustReconciliation'),
    beginReconciliation: unexpected('beginReconciliation'),
    sendReplay: unexpected('sendReplay'),
    settleReplay: unexpected('settleReplay'),
    beginReversalWatch: unexpected('beginReversalWatch'),
    planReversalRead: unexpected('planReversalRead'),
    settleReversal: unexpected('settleReversal'),
    startOverdueReads: unexpected('startOverdueReads'),
    wakeUnwatchedApprovals: unexpected('wakeUnwatchedApprovals'),
    attemptMessage: unexpected('attemptMessage'),
    wakeHeldMessages: unexpected('wakeHeldMessages'),
    wakeMessages: unexpected('wakeMessages'),
    startLostMessages: unexpected('startLostMessages'),
    deleteExpiredDeduplications: unexpected('deleteExpiredDeduplications'),
    startLostInvocations: unexpected('startLostInvocations'),
    deleteExpiredIdempotencyClaims: unexpected('deleteExpiredIdempotencyClaims'),
  };
  const merged = { ...base, ...overrides };
  const recorded = Object.fromEntries(
    Object.entries(merged).map(([name, activity]) => [
      name,
      (...args: unknown[]) => {
        calls.push(name);
        return Reflect.apply(activity, undefined, args) as unknown;
      },
    ]),
  );
  return { calls, activities: recorded as unknown as Activities };
}

/** Runs one workflow on a worker of its own, with these activities, and answers its result. */
export async function runWorkflow<Result>(
  environment: TestWorkflowEnvironment,
  workflow: string,
  args: unknown[],
  activities: Activities,
  workflowId: string = randomUUID(),
): Promise<Result> {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle: { codePath: inject('stack').workflowBundlePath },
    activities,
  });
  return worker.runUntil(
    environment.client.workflow.execute(workflow, { workflowId, taskQueue, args }) as Promise<Result>,
  );
}
