import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import type { NoPlace } from '../../domain/in-flight.ts';
import type { Activities } from '../../activities/index.ts';

/**
 * One recorded life of a workflow: an entry of the export `scenarios` of `test/workflows/<area>/scenarios.ts`.
 * `npm run histories:record` runs those that have no file yet and stores the server's history. A change that needs a new history
 * adds a scenario: an old file is never overwritten, because it represents histories in production.
 */
export interface Scenario {
  /** `<workflow>/<what happens>.v<N>`: the file under histories/. N rises when the workflow's commands change. */
  name: string;
  workflow: string;
  workflowId: string;
  args: unknown[];
  activities: Partial<Activities>;
  /** Whether time must pass (days), or a worker must be silent in real time. */
  server: 'time-skipping' | 'dev';
}

/** The environment, and the invocation with its effect, that the scenarios are about. */
export const ENVIRONMENT = {
  workspaceId: '00000000-0000-7000-8000-000000000001',
  environmentId: '00000000-0000-7000-8000-000000000002',
};
export const INVOCATION = { invocationId: 'inv_0000000000000000000001', ...ENVIRONMENT };
export const EFFECT = { ...INVOCATION, effectId: 'eff_0000000000000000000001', actionName: 'refund.create' };

/** Returns the given values one after the other, then the last one for ever. */
export function inTurn<T>(...values: [T, ...T[]]): () => Promise<T> {
  let turn = 0;
  return () => {
    const value = values[Math.min(turn++, values.length - 1)];
    return Promise.resolve(value === undefined ? values[0] : value);
  };
}

/** The answer of an activity whose workspace has no place for it. */
export const NO_PLACE: NoPlace = { seen: 'no_place', lookAgainMs: 10_000 };

/** An activity that always fails. */
export const failing = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('away'));

/** The workflow that called the current activity double. */
export function caller(): WorkflowHandle {
  const { client, info } = Context.current();
  return client.workflow.getHandle(info.workflowExecution?.workflowId ?? '');
}
