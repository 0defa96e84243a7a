import { type NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from './index.ts';

export interface WorkerSettings {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** The prebuilt bundle of workflows/index.ts. */
  workflowBundlePath: string;
  activities: Activities;
  /** How long a worker that is told to stop waits for its calls at destinations; what has not ended then becomes unknown. */
  shutdownGraceMs: number;
}

/** Workflows kept in memory between tasks; more would be replayed less often and cost memory at rest. */
const CACHED_WORKFLOWS_MAX = 500;
/** Calls at destinations at once, for each worker process. */
const CONCURRENT_DISPATCHES_MAX = 100;
const CONCURRENT_SQL_MAX = 100;
/**
 * Workflow tasks at once. A start takes its first task along (an eager start) only where one is free; one that is not goes
 * through the queue, which took seconds for a tenth of the invocations 32 at once with the SDK's 40.
 */
const CONCURRENT_WORKFLOW_TASKS_MAX = 200;
/** After the grace an activity is told to end; what has not ended then is left to its heartbeat's time-out. */
const SHUTDOWN_FORCE_MARGIN_MS = 10_000;

/** The worker that runs every workflow and activity of this version. */
export function createWorker(settings: WorkerSettings): Promise<Worker> {
  return Worker.create({
    connection: settings.connection,
    namespace: settings.namespace,
    taskQueue: settings.taskQueue,
    workflowBundle: { codePath: settings.workflowBundlePath },
    activities: settings.activities,
    maxCachedWorkflows: CACHED_WORKFLOWS_MAX,
    maxConcurrentWorkflowTaskExecutions: CONCURRENT_WORKFLOW_TASKS_MAX,
    maxConcurrentActivityTaskExecutions: CONCURRENT_DISPATCHES_MAX,
    maxConcurrentLocalActivityExecutions: CONCURRENT_SQL_MAX,
    shutdownGraceTime: settings.shutdownGraceMs,
    shutdownForceTime: settings.shutdownGraceMs + SHUTDOWN_FORCE_MARGIN_MS,
  });
}
