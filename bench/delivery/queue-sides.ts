import { Client, Pool } from 'pg';
import { startModule } from '../invoke/child.ts';
import { ATTEMPTS_TABLE, countAttempts } from './attempts-table.ts';
import { loadGraphileWorker, loadPgBoss } from './libraries.ts';
import { BOSS_QUEUE, BOSS_QUEUE_OPTIONS, GRAPHILE_SPEC, GRAPHILE_TASK } from './queue-settings.ts';
import { messageOf, pidOf, type Side, type WorkerTask } from './side.ts';

type Receiving = Omit<WorkerTask, 'address'>;

/** pg-boss in a database of its own on the service's PostgreSQL. */
export async function startPgBossSide(ownerUrl: string, receiving: Receiving): Promise<Side> {
  const { address, pool } = await createDatabase(ownerUrl, 'bench_pg_boss');
  const { PgBoss } = await loadPgBoss();
  // The publisher's process leaves upkeep to the worker's, as a web server beside workers would.
  const boss = new PgBoss({ connectionString: address, supervise: false, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(BOSS_QUEUE, BOSS_QUEUE_OPTIONS);
  const { child } = await startModule('../delivery/pg-boss-worker.js', [JSON.stringify({ address, ...receiving })]);
  return {
    name: 'pg-boss',
    publish: async (number) => {
      await boss.send(BOSS_QUEUE, messageOf(number));
    },
    publishBatch: async (numbers) => {
      await boss.insert(
        BOSS_QUEUE,
        numbers.map((number) => ({ data: messageOf(number) })),
      );
    },
    isSettled: () => isEmpty(pool, `SELECT FROM pgboss.job WHERE name = '${BOSS_QUEUE}' AND state < 'completed'`),
    countAttempts: () => countAttempts(pool),
    pid: pidOf(child),
    stop: async () => {
      await boss.stop();
      await child.stop();
      await pool.end();
    },
  };
}

/** graphile-worker in a database of its own on the service's PostgreSQL. */
export async function startGraphileSide(ownerUrl: string, receiving: Receiving): Promise<Side> {
  const { address, pool } = await createDatabase(ownerUrl, 'bench_graphile_worker');
  const { makeWorkerUtils } = await loadGraphileWorker();
  const utils = await makeWorkerUtils({ connectionString: address });
  await utils.migrate();
  const { child } = await startModule('../delivery/graphile-worker.js', [JSON.stringify({ address, ...receiving })]);
  return {
    name: 'graphile-worker',
    publish: async (number) => {
      await utils.addJob(GRAPHILE_TASK, messageOf(number), GRAPHILE_SPEC);
    },
    publishBatch: async (numbers) => {
      await utils.addJobs(
        numbers.map((number) => ({ identifier: GRAPHILE_TASK, payload: messageOf(number), ...GRAPHILE_SPEC })),
      );
    },
    isSettled: () => isEmpty(pool, 'SELECT FROM graphile_worker.jobs'),
    countAttempts: () => countAttempts(pool),
    pid: pidOf(child),
    stop: async () => {
      await utils.release();
      await child.stop();
      await pool.end();
    },
  };
}

async function createDatabase(ownerUrl: string, name: string): Promise<{ address: string; pool: Pool }> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  await owner.end();
  const address = new URL(ownerUrl);
  address.pathname = `/${name}`;
  const pool = new Pool({ connectionString: address.href, max: 1 });
  await pool.query(ATTEMPTS_TABLE);
  return { address: address.href, pool };
}

async function isEmpty(pool: Pool, select: string): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`SELECT EXISTS (${select}) AS found`);
  return rows[0]?.found === false;
}
