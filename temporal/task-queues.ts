/** A worker with a free slot begins its own dispatch without matching. One for the installation, but in tests. */
export const TASK_QUEUE = 'agent-actions/invocations';

/** Activities with slots of their own beside those of dispatches: a flood in one of these queues leaves the others theirs. */
export const ACTIVITY_QUEUES = ['notifications', 'provider-reads', 'maintenance'] as const;
export type ActivityQueue = (typeof ACTIVITY_QUEUES)[number];

export function activityQueue(taskQueue: string, queue: ActivityQueue): string {
  return `${taskQueue.replace(/\/invocations$/, '')}/${queue}`;
}
