import { countSchema } from './schemas.ts';

const PROCESSES = ['worker', 'embedded'] as const;
const WITH_API = ['api', ...PROCESSES] as const;
const slots = (of: string, count: string) => ({
  meaning: `${of} that one worker process has under way at once. They have a task queue of their own.`,
  default: count,
  processes: PROCESSES,
  schema: countSchema(1, 10_000),
});
const share = (of: string, count: string) => ({
  meaning: `${of} that one workspace has under way at once, on all processes. What is over it is queued and holds no slot. The same for every worker, and for an API with RUN_INVOCATIONS.`,
  default: count,
  processes: WITH_API,
  schema: countSchema(1, 10_000),
});

/** How much a worker does at once, and how much of that one workspace may have. */
export const FAIR_SHARES = {
  DISPATCH_SLOTS: {
    ...slots('Dispatches', '100'),
    processes: WITH_API,
    meaning:
      'Dispatches that one process has under way at once, however many deliveries there are: as many short calls (`timeoutMs` up to 30 s), and as many that are long or waited for a slot.',
  },
  DELIVERY_SLOTS: {
    ...slots('Deliveries', '100'),
    meaning:
      'Deliveries that one worker process has under way at once. Half of them may begin at once beside dispatches; the others have a task queue of their own.',
  },
  PROVIDER_READ_SLOTS: slots('Reads at providers', '40'),
  MAINTENANCE_SLOTS: slots('Activities of the sweep, pages of jobs and of fan-outs, and starts of messages', '20'),
  WORKSPACE_DISPATCHES_MAX: share('Dispatches', '20'),
  WORKSPACE_DELIVERIES_MAX: share('Deliveries', '20'),
  WORKSPACE_PROVIDER_READS_MAX: share('Reads at providers', '10'),
  WORKSPACE_NOTIFICATIONS_MAX: share('E-mails, and posts of approvals to chats,', '10'),
  WORKSPACE_MAINTENANCE_MAX: share('Pages of jobs and of fan-outs, and starts of messages,', '5'),
  UV_THREADPOOL_SIZE: {
    meaning:
      'Threads of Node for what blocks, such as name look-ups. Node itself reads it, before anything else runs: set it in the environment of the process. `npm start` and the image set 16. With Node’s own 4, the calls of all workspaces together look up one name at a time.',
    default: '4',
    processes: WITH_API,
    schema: countSchema(1, 1_024),
  },
};
