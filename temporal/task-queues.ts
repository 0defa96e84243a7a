/**
 * The queue of workflows, and of the activities that decide and fence. Shared by the installation, unless a test needs its
 * own.
 */
export const TASK_QUEUE = 'agent-actions/invocations';

/** Activities with slots of their own: a flood in one of these queues leaves the others theirs. */
export const ACTIVITY_QUEUES = ['dispatches', 'deliveries', 'provider-reads', 'maintenance'] as const;
export type ActivityQueue = (typeof ACTIVITY_QUEUES)[number];

/** The queue of these activities beside the queue of the workflows that ask for them. */
export function activityQueue(taskQueue: string, queue: ActivityQueue): string {
  return `${taskQueue.replace(/\/invocations$/, '')}/${queue}`;
}
