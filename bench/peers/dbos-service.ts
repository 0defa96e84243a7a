import { serveJobs } from './front.ts';
import { type Input, Job, type Outcome, type PeerTask } from './job.ts';
import { loadDbos } from './libraries.ts';

/**
 * DBOS Transact, as its guide has it: the workflow's id is the Idempotency-Key, so a repeat joins the workflow; each
 * step is a `runStep`, and those that touch the database are idempotent by key. (Its data sources would commit a
 * checkpoint with a step's own transaction; the packages that go with this release could not be had.) Fenced: one step.
 */
const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const job = await Job.open(task);
const { DBOS } = await loadDbos();

const native = DBOS.registerWorkflow(
  async (key: string, input: Input): Promise<Outcome> => {
    await DBOS.runStep(() => job.reserveOnce(key), { name: 'reserve' });
    const answer = await DBOS.runStep(() => job.call(key, input), { name: 'call' });
    await DBOS.runStep(() => job.record(key, input, answer), { name: 'record' });
    return { status: 'succeeded', answer };
  },
  { name: 'native' },
);

const fenced = DBOS.registerWorkflow(
  (key: string, input: Input): Promise<Outcome> => DBOS.runStep(() => job.fencedCall(key, input), { name: 'call' }),
  { name: 'fenced' },
);

DBOS.setConfig({
  name: 'peers',
  systemDatabaseUrl: task.databaseUrl,
  systemDatabasePoolSize: 20,
  logLevel: 'error',
  runAdminServer: false,
});
await DBOS.launch();
serveJobs(task.port, job, {
  native: async (key, input) => (await DBOS.startWorkflow(native, { workflowID: key })(key, input)).getResult(),
  fenced: async (key, input) => (await DBOS.startWorkflow(fenced, { workflowID: key })(key, input)).getResult(),
});
