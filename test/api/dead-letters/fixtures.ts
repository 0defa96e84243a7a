import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { plantDeadLetters } from './plant.ts';

async function plantRecord({ api }: World): Promise<string> {
  const [id = ''] = await plantDeadLetters(api.database);
  return id;
}

const record = async (world: World): Promise<FixtureRequest> => ({ params: { messageId: await plantRecord(world) } });

/** A job whose filter holds nothing, so that it touches no other fixture's records. */
async function plantJob({ api, key }: World): Promise<string> {
  await api.database.asOwner(
    `UPDATE dead_letter_jobs SET status = 'cancelled', ended_at = now() WHERE ended_at IS NULL`,
  );
  const body = { label: 'nobody has this label' };
  const { id } = await planted<{ id: string }>(api.call('POST', '/api/v2/dlq/retry-all', { key, body }));
  return id;
}

const job = async (world: World): Promise<FixtureRequest> => ({ params: { jobId: await plantJob(world) } });
async function roomForJobs({ api }: World): Promise<void> {
  await api.database.asOwner(
    `UPDATE dead_letter_jobs SET status = 'cancelled', ended_at = now() WHERE ended_at IS NULL`,
  );
}

export const fixtures: RouteFixtures = {
  'deadLetters.list': { request: nothing, plantRow: plantRecord },
  'deadLetters.stats': { request: nothing },
  'deadLetters.get': { request: record },
  'deadLetters.retry': {
    request: async (world) => ({
      ...(await record(world)),
      body: { url: world.targetUrl, delay: 3_600, maxRetries: 2 },
    }),
  },
  'deadLetters.delete': { request: record },
  'deadLetters.retryAll': {
    request: async (world) => {
      await roomForJobs(world);
      return { body: { label: unique('order 4711'), responseStatus: 503 } };
    },
  },
  'deadLetters.clear': {
    request: async (world) => {
      await roomForJobs(world);
      return { query: { label: unique('order 4711') } };
    },
  },
  'deadLetters.jobs.list': { request: nothing, plantRow: plantJob },
  'deadLetters.jobs.get': { request: job },
  'deadLetters.jobs.cancel': { request: job },
};
