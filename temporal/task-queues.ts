/** Where the workers of this installation poll, unless a test keeps to itself. */
export const TASK_QUEUE = 'agent-actions';
