import type { DataConverter, WorkerDeploymentVersion } from '@temporalio/common';
import { type NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { HEARTBEAT_TIMEOUT_MS, heartbeatIntervalMs } from '../domain/heartbeats.ts';
import type { Activities } from './index.ts';
import { inLogContext } from './log-context.ts';

/** Activities with a queue, and so slots, of their own. All others run on the workflows' queue. */
export const ACTIVITIES_OF_QUEUES = {
  notifications: ['postApproval', 'sendNotificationEmail'],
  'provider-reads': ['readBackEffect', 'observeTarget', 'observeDraft'],
  maintenance: [
    'listSweepAreas',
    'sweepArea',
    'retryDeadLetterPage',
    'clearDeadLetterPage',
    'fanOutPage',
    'recoverSubscriptionPage',
    'ingestMemoryPage',
    'forgetMemoryPage',
    'collectInvoice',
  ],
} as const satisfies Record<string, readonly (keyof Activities)[]>;

type Queue = keyof typeof ACTIVITIES_OF_QUEUES;
const NAMES = Object.keys(ACTIVITIES_OF_QUEUES) as Queue[];

/** How many dispatches, deliveries and activities of the other queues run at once in this process. */
export type WorkerSlots = Readonly<Record<Exclude<Queue, 'notifications'> | 'dispatches' | 'deliveries', number>>;

export interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  dataConverter?: DataConverter;
  /** The queue of the workflows, of dispatches, and of what the workflows do in the database. */
  taskQueue: string;
  activityQueue: (taskQueue: string, queue: Queue) => string;
  slots?: WorkerSlots;
  /** Leaves the queues of activities to other processes. */
  mainQueueAlone?: true;
  /** As the activities have it; by default the standard one. */
  heartbeatTimeoutMs?: number;
  /** The prebuilt bundle of workflows/index.ts. */
  workflowBundlePath: string;
  /** The version of a Worker Deployment; null: its workers take every task of their queues. */
  version?: WorkerDeploymentVersion | null;
  activities: Activities;
  /** How long a stopping worker waits for its outbound calls. A call that has not ended by then becomes unknown. */
  shutdownGraceMs: number;
}

/** Outbound calls hold memory and a socket each; the others load only the database and Temporal. */
export const DEFAULT_SLOTS: WorkerSlots = { dispatches: 100, deliveries: 100, 'provider-reads': 40, maintenance: 20 };

/** Workflows cached between tasks. A larger cache saves replays and costs memory at rest. */
const CACHED_WORKFLOWS_MAX = 500;
const CONCURRENT_SQL_MAX = 100;
/** An eager start needs a free slot; others go through the queue. The SDK's 40 cost seconds at 32 starts at once. */
const CONCURRENT_WORKFLOW_TASKS_MAX = 200;
/**
 * Polls for workflow tasks. One takes a quarter of a second on a busy machine; with the SDK's ten, tasks fell behind by
 * up to 40 s. The number is fixed: the SDK's autoscaling loses tasks with a poll, for their time-out of 10 s.
 */
const WORKFLOW_TASK_POLLS = { type: 'simple-maximum', maximum: 30 } as const;
/** After the grace period an activity is cancelled. One that still runs is left to its heartbeat time-out. */
const SHUTDOWN_FORCE_MARGIN_MS = 10_000;

export interface WorkerGroup {
  /** Ends when all have ended; rejects where one failed, after the others have stopped. */
  run(): Promise<void>;
  /** Takes no new task and drains the present ones. Idempotent. */
  shutdown(): void;
  isPolling(): boolean;
}

/** The workers that run every workflow and activity of this version: one for the workflows, and one for each other queue. */
export async function createWorker(settings: WorkerSettings): Promise<WorkerGroup> {
  const { activities, taskQueue, slots = DEFAULT_SLOTS } = settings;
  const others = settings.mainQueueAlone === true ? [] : NAMES;
  const apart = new Set<string>(NAMES.flatMap((queue) => ACTIVITIES_OF_QUEUES[queue]));
  const common = {
    connection: settings.connection,
    namespace: settings.namespace,
    ...(settings.dataConverter === undefined ? {} : { dataConverter: settings.dataConverter }),
    shutdownGraceTime: settings.shutdownGraceMs,
    shutdownForceTime: settings.shutdownGraceMs + SHUTDOWN_FORCE_MARGIN_MS,
    // By itself the SDK would send one in 8 s of a 10 s time-out.
    maxHeartbeatThrottleInterval: heartbeatIntervalMs(settings.heartbeatTimeoutMs ?? HEARTBEAT_TIMEOUT_MS),
    ...versioned(settings.version ?? null),
  };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: { codePath: settings.workflowBundlePath },
      activities: pick(activities, (name) => !apart.has(name)),
      maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
      workflowTaskPollerBehavior: WORKFLOW_TASK_POLLS,
      // A short call is sent within its workflow's task, as a local activity (`CallSlots`).
      maxConcurrentWorkflowTaskExecutions: CONCURRENT_WORKFLOW_TASKS_MAX + slots.dispatches,
      maxConcurrentLocalActivityExecutions: CONCURRENT_SQL_MAX + slots.dispatches,
      maxConcurrentActivityTaskExecutions: slots.dispatches,
    }),
    ...others.map((queue) =>
      Worker.create({
        ...common,
        taskQueue: settings.activityQueue(taskQueue, queue),
        activities: pick(activities, (name) => (ACTIVITIES_OF_QUEUES[queue] as readonly string[]).includes(name)),
        // As many beside the deliveries, which take no task.
        maxConcurrentActivityTaskExecutions: slots[queue === 'notifications' ? 'deliveries' : queue],
      }),
    ),
  ]);
  return groupOf(workers);
}

/** A workflow that says nothing else goes to the current version with its next task: every history replays on the code of today. */
function versioned(version: WorkerDeploymentVersion | null): { workerDeploymentOptions?: WorkerDeploymentOptions } {
  if (version === null) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

type Runnable = (...args: unknown[]) => unknown;

function pick(activities: Activities, wanted: (name: string) => boolean): object {
  const picked = Object.entries(activities).filter(([name]) => wanted(name));
  return Object.fromEntries(picked.map(([name, run]) => [name, inLogContext(run as Runnable)]));
}

function groupOf(workers: readonly Worker[]): WorkerGroup {
  const shutdown = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const run = async (): Promise<void> => {
    const ends = await Promise.allSettled(
      workers.map(async (worker) => {
        try {
          await worker.run();
        } finally {
          shutdown(); // a failed worker must not leave a process that does half of the work
        }
      }),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  return { run, shutdown, isPolling: () => workers.every((worker) => worker.getState() === 'RUNNING') };
}
