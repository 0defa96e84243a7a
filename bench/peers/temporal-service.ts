import { fileURLToPath } from 'node:url';
import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serveJobs } from './front.ts';
import { type Form, type Input, Job, type Outcome, type PeerTask } from './job.ts';

/**
 * Bare Temporal: client and workers in one process. The workflow's id is the Idempotency-Key, so a repeat gets the
 * first one's result. Fenced: the cheapest workflow there is, one local activity in its first task, which the reply to
 * the start brings along (eager start), with as many polls as the service has.
 */
const NAMESPACE = 'default';
const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const job = await Job.open(task);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await NativeConnection.connect({ address: task.temporalAddress });
const shared = {
  connection: worker,
  namespace: NAMESPACE,
  workflowsPath: fileURLToPath(new URL('./temporal.workflow.js', import.meta.url)),
  activities: temporalActivities(job),
};
const workers = [
  await Worker.create({ ...shared, taskQueue: queueOf('native') }),
  await Worker.create({
    ...shared,
    taskQueue: queueOf('fenced'),
    maxConcurrentWorkflowTaskExecutions: 200,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 30 },
  }),
];
for (const one of workers) {
  one.run().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
const clients: Record<Form, Client> = {
  native: new Client({ connection: await Connection.connect({ address: task.temporalAddress }), namespace: NAMESPACE }),
  fenced: new Client({ connection: worker, namespace: NAMESPACE }), // the workers' own: eager start asks for it
};

async function run(form: Form, key: string, input: Input): Promise<Outcome> {
  const { workflow } = clients[form];
  try {
    return (await workflow.execute(form, {
      workflowId: key,
      taskQueue: queueOf(form),
      args: [key, input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      requestEagerStart: form === 'fenced',
    })) as Outcome;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return (await workflow.getHandle(key).result()) as Outcome;
  }
}

serveJobs(task.port, job, {
  native: (key, input) => run('native', key, input),
  fenced: (key, input) => run('fenced', key, input),
});

function queueOf(form: Form): string {
  return `bench-peers-${form}`;
}
function temporalActivities(steps: Job) {
  return {
    reserve: (key: string): Promise<void> => steps.reserveOnce(key),
    call: (key: string, input: Input): Promise<unknown> => steps.call(key, input),
    record: (key: string, input: Input, answer: unknown): Promise<void> => steps.record(key, input, answer),
    fencedCall: (key: string, input: Input): Promise<Outcome> => steps.fencedCall(key, input),
  };
}
export type TemporalActivities = ReturnType<typeof temporalActivities>;
