import { newId } from '../../../domain/ids.ts';
import { nothing, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { plantDeadLetters } from './plant.ts';

async function plantRecord({ api }: World): Promise<string> {
  const [id = ''] = await plantDeadLetters(api.database);
  return id;
}

const record = async (world: World): Promise<FixtureRequest> => ({ params: { messageId: await plantRecord(world) } });

/** A job that no workflow works on, so that it is still under way when a suite comes back to it. */
async function plantJob(world: World): Promise<string> {
  await roomForJobs(world);
  const id = newId('deadLetterJob');
  await world.api.database.asOwner(
    `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, publishes_while_halted)
     VALUES ($1, $2, 'retry', '{"label":"order 4711"}', '{"type":"api_key","id":null}', false)`,
    [id, world.api.database.tenant.environmentId],
  );
  return id;
}

const job = async (world: World): Promise<FixtureRequest> => ({ params: { jobId: await plantJob(world) } });
/** An environment has at most ten active jobs. The newest are not touched: a suite may be about to read them. */
async function roomForJobs({ api }: World): Promise<void> {
  await api.database.asOwner(
    `UPDATE dead_letter_jobs SET status = 'cancelled', ended_at = now()
     WHERE ended_at IS NULL AND id NOT IN (SELECT id FROM dead_letter_jobs WHERE ended_at IS NULL ORDER BY id DESC LIMIT 5)`,
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
