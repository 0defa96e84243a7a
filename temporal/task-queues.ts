/**
 * For workflows, activities that decide and fence, and dispatches: a worker with a free slot begins its own dispatch
 * without matching. Shared by the installation, unless a test needs its own.
 */
export const TASK_QUEUE = 'agent-actions/invocations';

/** Activities with slots of their own beside those of dispatches: a flood in one of these queues leaves the others theirs. */
export const ACTIVITY_QUEUES = ['deliveries', 'provider-reads', 'maintenance'] as const;
export type ActivityQueue = (typeof ACTIVITY_QUEUES)[number];

/** The queue of these activities beside the queue of the workflows that ask for them. */
export function activityQueue(taskQueue: string, queue: ActivityQueue): string {
  return `${taskQueue.replace(/\/invocations$/, '')}/${queue}`;
}
