import { randomUUID } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import type { ActivityDependencies } from '../../activities/dependencies.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { ACTIVITY_QUEUES, activityQueue } from '../../temporal/task-queues.ts';
import { type Activities, createActivities } from '../../activities/index.ts';
import type { EffectRef } from '../../domain/refs.ts';

/**
 * Doubles of the activities, typed by the real ones, that record the order of the calls. A call to one that the test does not
 * name fails.
 */
export interface Doubles {
  activities: Activities;
  calls: string[];
}

/** Activities take their dependencies when they are called, so their names are available without any. */
const ACTIVITY_NAMES = Object.keys(createActivities({} as ActivityDependencies));

const unexpected = (name: string) => () => {
  throw new Error(`${name} was not expected`);
};

export function doubles(overrides: Partial<Activities>): Doubles {
  const calls: string[] = [];
  const base = Object.fromEntries(ACTIVITY_NAMES.map((name) => [name, unexpected(name)]));
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

/** Runs one workflow on its own worker with these activities, and returns its result. */
export async function runWorkflow<Result>(
  environment: TestWorkflowEnvironment,
  workflow: string,
  args: unknown[],
  activities: Activities,
  workflowId: string = randomUUID(),
): Promise<Result> {
  const taskQueue = randomUUID();
  return withTestWorker(environment, { taskQueue, activities }, () =>
    environment.client.workflow.execute<() => Promise<Result>>(workflow, {
      workflowId,
      taskQueue,
      args: args as [],
      typedSearchAttributes: searchAttributes({ environment: 'Production' }),
    }),
  );
}

/** Runs `work` while workers poll this queue and those beside it, each with all activities. */
export async function withTestWorker<T>(
  environment: TestWorkflowEnvironment,
  settings: { taskQueue: string; activities: Activities; maxCachedWorkflows?: number },
  work: () => Promise<T>,
): Promise<T> {
  const { taskQueue, activities } = settings;
  const connection = environment.nativeConnection;
  const codePath = inject('stack').workflowBundlePath;
  const main = await Worker.create({ ...settings, connection, workflowBundle: { codePath } });
  const beside = await Promise.all(
    ACTIVITY_QUEUES.map((queue) =>
      Worker.create({ connection, activities, taskQueue: activityQueue(taskQueue, queue) }),
    ),
  );
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = beside.map((worker) => worker.runUntil(ended));
  try {
    return await main.runUntil(work);
  } finally {
    end();
    await Promise.all(running);
  }
}

/** The input of a workflow about an effect that no other test knows. */
export const newEffect = (): EffectRef => ({
  invocationId: 'inv_1',
  workspaceId: randomUUID(),
  environmentId: randomUUID(),
  effectId: `eff_${randomUUID()}`,
  actionName: 'refund.create',
});
