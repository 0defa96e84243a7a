import {
  type ActivityOptions,
  type LocalActivityOptions,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { DISPATCH_MARGIN_MS, HEARTBEAT_TIMEOUT_MS } from '../domain/heartbeats.ts';
import { EMAIL_ATTEMPT_TIMEOUT_MS } from '../domain/notifications/emails.ts';
import { type ActivityQueue, activityQueue } from '../temporal/task-queues.ts';

/**
 * Sends an activity to a queue with its own slots, and orders that queue fairly between workspaces. (The places
 * of a workspace cap its calls in flight.) Call it within a workflow.
 */
export function onQueue(queue: ActivityQueue, tenant?: { workspaceId: string }): ActivityOptions {
  return {
    taskQueue: activityQueue(workflowInfo().taskQueue, queue),
    ...(tenant === undefined ? {} : { priority: { fairnessKey: tenant.workspaceId } }),
  };
}

/**
 * Idempotent SQL only: a local activity's result is kept when the workflow task completes, so a crash runs it again. It is
 * retried until the database is back. A mistake in our own code stays visible in the Temporal UI as a pending task.
 */
const SQL_OPTIONS: LocalActivityOptions = {
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * One step of an invocation, which may include its short call. The time-out is longer than that call with what stands before and behind it:
 * an execution that is given up goes on, and the next one finds what it claimed.
 */
export const ADVANCE_OPTIONS: LocalActivityOptions = {
  ...SQL_OPTIONS,
  startToCloseTimeout: '2 minutes',
  summary: 'judges; sends and settles at once where nothing has to be waited for',
};

/**
 * Local activities by their names, each with the summary that the Temporal UI shows beside its event. A summary is one line of
 * plain words; ids and names may be in it, values never.
 */
export function sqlActivities<Name extends keyof Activities>(summaries: Record<Name, string>): Pick<Activities, Name> {
  const names = Object.keys(summaries) as Name[];
  const proxies = names.map((name) => {
    const options = { ...SQL_OPTIONS, summary: summaries[name] };
    return [name, proxyLocalActivities<Activities>(options)[name]] as const;
  });
  return Object.fromEntries(proxies) as unknown as Pick<Activities, Name>;
}

/** Reads at a provider may be repeated at will; their results are judged from the record. */
export const READ_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 5 },
};

/** A read while the caller waits: one short try. Reconciliation retries longer. */
export const CONFIRM_OPTIONS: ActivityOptions = { scheduleToCloseTimeout: '10 seconds', retry: { maximumAttempts: 1 } };

export interface DispatchTimes {
  /** The time-out of the action's own call. */
  timeoutMs: number;
  /** How long the task may wait for a worker's slot. Nothing is sent meanwhile, nor after it. */
  untilStartMs: number;
  /** By default the standard one. */
  heartbeatTimeoutMs?: number;
}

/**
 * A replay is sent promptly or not at all: the provider's window for the same key is closing. It covers the workspace's queue and
 * the workers' queue. With the last attempt's start, the call and its margin it stays under LOST_AFTER_SECONDS of
 * db/attempts/replays.ts, so that no replay is given up that may still be sent.
 */
export const REPLAY_UNTIL_START_MS = 60_000;
/** Leaves the last attempt, after the longest wait in the queue, the time to start. */
export const REPLAY_LAST_START_MS = 10_000;

/**
 * The dispatch: at most once. It has no retry, and no worker may start a task that waited past `untilStartMs`, because the
 * approval was for that time. A missing heartbeat reveals a dead worker.
 */
export function dispatchOptions(
  { timeoutMs, untilStartMs, heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS }: DispatchTimes,
  summary: string,
  tenant: { workspaceId: string },
): ActivityOptions {
  return {
    priority: { fairnessKey: tenant.workspaceId },
    scheduleToStartTimeout: untilStartMs,
    startToCloseTimeout: timeoutMs + DISPATCH_MARGIN_MS,
    heartbeatTimeout: heartbeatTimeoutMs,
    retry: { maximumAttempts: 1 },
    summary,
  };
}

/** The longest time-out of a message, plus the database before and after the call. */
const ATTEMPT_TIMEOUT_MS = 300_000 + DISPATCH_MARGIN_MS;

/**
 * An attempt of a message decides from the message's row whether anything is to be sent, so it is retried for ever: a lost
 * run is recorded as a lost attempt. A missing heartbeat reveals a dead worker.
 */
export const ATTEMPT_OPTIONS: ActivityOptions = {
  startToCloseTimeout: ATTEMPT_TIMEOUT_MS,
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/**
 * An attempt on the workflows' queue, which the worker that asks for it begins itself. If all slots of that queue are taken, for example
 * by hanging dispatches, nobody begins it in time; it then goes to the queue of deliveries.
 */
export const ATTEMPT_AT_ONCE_OPTIONS: ActivityOptions = { ...ATTEMPT_OPTIONS, scheduleToStartTimeout: '2 seconds' };

/** A visit of an e-mail decides from its row whether anything is to be sent, so it is retried for ever. */
export const EMAIL_OPTIONS: ActivityOptions = {
  startToCloseTimeout: EMAIL_ATTEMPT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** The port of the payment provider is idempotent, so that it is called until the provider is back. */
export const COLLECT_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 minutes' },
};

/**
 * Waking is idempotent, so it is retried until Temporal and the database are back. A try goes on where the last one stopped; a missing
 * heartbeat reveals a dead worker.
 */
export const WAKE_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * One page of a long job, which moves the job's row with it. It is retried until the database is back; a missing heartbeat
 * reveals a dead worker.
 */
export const PAGE_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * A read of the provider's record for an invocation. A failed read is recorded as one. The unlimited retries here are for
 * the database, and for a worker that died.
 */
export const OBSERVE_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** The same, but short, for a preview whose caller waits. */
export const OBSERVE_DRAFT_OPTIONS: ActivityOptions = {
  scheduleToCloseTimeout: '18 seconds',
  startToCloseTimeout: '16 seconds',
  retry: { initialInterval: '200 milliseconds', maximumAttempts: 3 },
};

/**
 * One area of the sweep: its budget, and the row or the call that is under way when that is over. The next sweep begins when all areas are
 * done, so a missing heartbeat must reveal a dead worker soon. After three failed tries the next sweep takes over.
 */
export const SWEEP_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { maximumAttempts: 3 },
};
