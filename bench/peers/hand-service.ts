import { serveJobs } from './front.ts';
import { Job, type PeerTask } from './job.ts';

/**
 * By hand on PostgreSQL. Native: reserve, call, record, and a repeat without a record is called again. Fenced: two
 * commits around the call.
 */
const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const job = await Job.open(task);
serveJobs(task.port, job, {
  native: async (key, input) => {
    const earlier = await job.recorded(key);
    if (earlier !== null) return earlier;
    await job.reserve();
    const answer = await job.call(key, input);
    await job.record(key, input, answer);
    return { status: 'succeeded', answer };
  },
  fenced: (key, input) => job.fencedCall(key, input),
});
