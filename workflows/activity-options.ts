import { type ActivityOptions, type LocalActivityOptions, workflowInfo } from '@temporalio/workflow';
import { type ActivityQueue, activityQueue } from '../temporal/task-queues.ts';

/**
 * Sends an activity to a queue with slots of its own, and orders what waits there by turns of the environments. (The cap on
 * what a workspace has under way is ours: `takePlace`.) Call it within a workflow.
 */
export function onQueue(queue: ActivityQueue, tenant?: { environmentId: string }): ActivityOptions {
  return {
    taskQueue: activityQueue(workflowInfo().taskQueue, queue),
    ...(tenant === undefined ? {} : { priority: { fairnessKey: tenant.environmentId } }),
  };
}

/**
 * Idempotent SQL only: a local activity's result is kept when the workflow task completes, so a crash runs it again. It is
 * tried until the database is back; a mistake in our own code stays visible in the Temporal UI as a pending task.
 */
export const SQL_OPTIONS: LocalActivityOptions = {
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/** Reads at a provider may be repeated at will; what they find is judged from the record. */
export const READ_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 5 },
};

/** A read while the caller waits: one try, and soon over. Reconciliation has the patience. */
export const CONFIRM_OPTIONS: ActivityOptions = { scheduleToCloseTimeout: '10 seconds', retry: { maximumAttempts: 1 } };

/** Above the action's own time-out: the database before and after the call. */
const DISPATCH_MARGIN_MS = 60_000;

export interface DispatchTimes {
  /** Of the action's own call. */
  timeoutMs: number;
  /** How long the task may wait for a worker's slot. Nothing is sent meanwhile, and nothing afterwards. */
  untilStartMs: number;
}

/** A replay that somebody asks for now is sent now: the provider's window for the same key is closing. */
export const REPLAY_UNTIL_START_MS = 60_000;

/**
 * The dispatch: at most once. No retry, and nobody may take up a task that waited for longer than `untilStartMs`: what was
 * agreed to then was agreed to for then. A dead worker shows in the missing heartbeat.
 */
export function dispatchOptions(
  { timeoutMs, untilStartMs }: DispatchTimes,
  summary: string,
  tenant: { environmentId: string },
): ActivityOptions {
  return {
    ...onQueue('dispatches', tenant),
    scheduleToStartTimeout: untilStartMs,
    startToCloseTimeout: timeoutMs + DISPATCH_MARGIN_MS,
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
    summary,
  };
}

/** The longest time-out of a message, and the database before and after the call. */
const ATTEMPT_TIMEOUT_MS = 300_000 + DISPATCH_MARGIN_MS;

/**
 * An attempt of a message decides from the message's row whether anything is to be sent, so that it is tried for ever: a run
 * that was lost is on record as a lost attempt. A dead worker shows in the missing heartbeat.
 */
export const ATTEMPT_OPTIONS: ActivityOptions = {
  startToCloseTimeout: ATTEMPT_TIMEOUT_MS,
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** Waking is idempotent: tried until Temporal and the database are back. */
export const WAKE_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * A read of the provider's record for an invocation. A read that fails is on record as one; what is tried again here, for as
 * long as it takes, is the database, and a worker that died.
 */
export const OBSERVE_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** The same for a preview whose caller waits: soon over. */
export const OBSERVE_DRAFT_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: '18 seconds',
  startToCloseTimeout: '16 seconds',
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 3 },
};

/** One area of the sweep. What is left after three tries is the next sweep's, a minute later. */
export const SWEEP_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 3 },
};
