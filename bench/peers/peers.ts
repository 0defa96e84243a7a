import { Client } from 'pg';
import { freePort } from '../../embedded/ports.ts';
import { startModule } from '../invoke/child.ts';
import type { Form, PeerTask } from './job.ts';
import type { RestateServer } from './restate-server.ts';
import type { Servers } from './servers.ts';
import { type Answer, type Peer, type PeerName, post, type Side, type SideName, statusOf } from './side.ts';
import { countEventsOf } from './workflow-events.ts';

/** The peers that bring a process of their own; Restate's has a server before it. */
export type ProcessName = Exclude<PeerName, 'ours'>;

interface PeerOptions {
  name: ProcessName;
  forms: readonly Form[];
  servers: Servers;
  restate: RestateServer | null;
}

/** Starts a peer's process on a database of its own. */
export async function startPeer({ name, forms, servers, restate }: PeerOptions): Promise<Peer> {
  const database = `peer_${name.toLowerCase()}`;
  const port = await freePort();
  const task: PeerTask = {
    databaseUrl: await servers.createDatabase(database),
    temporalAddress: servers.temporalAddress,
    targetUrl: servers.target.url,
    secret: servers.target.secret,
    port,
  };
  const start = async () =>
    (await startModule(`../peers/${name.toLowerCase()}-service.js`, [JSON.stringify(task)])).child;
  let child = await start();
  await restate?.register(port);
  const db = new Client({ connectionString: task.databaseUrl });
  await db.connect();
  const base = restate === null ? `http://127.0.0.1:${port}` : `${restate.ingressUrl}/job`;
  const enginePid = { hand: null, DBOS: null, Restate: restate?.pid ?? null, Temporal: servers.temporalPid }[name];
  const sideOf = (form: Form): Side => ({
    ...sideInDatabase(db, form),
    name: `${name}, ${form}` satisfies SideName,
    database,
    send: (key, message) => send(new URL(`${base}/${form}`), key, restate === null ? { message } : { key, message }),
    cpu: () => ({
      side: servers.cpuOf(child.process.pid ?? -1),
      postgres: servers.cpuOf(servers.postgresPid),
      engine: enginePid === null ? 0 : servers.cpuOf(enginePid),
    }),
    countEvents: (answers) =>
      name === 'Temporal'
        ? countEventsOf(servers.temporal, new Set(answers.map(({ key }) => key)), answers.length)
        : Promise.resolve(null),
  });
  return {
    name,
    sides: forms.map(sideOf),
    kill: async () => {
      child.process.kill('SIGKILL');
      await child.exited;
    },
    start: async () => {
      child = await start();
    },
    stop: async () => {
      await child.stop();
      await db.end();
    },
  };
}

async function send(url: URL, key: string, body: unknown): Promise<Answer> {
  const { status, text } = await post(url, { 'idempotency-key': key }, body);
  return { status, text, outcome: status === 200 ? statusOf(text) : null };
}

/** What the job's own tables say. */
function sideInDatabase(db: Client, form: Form): Pick<Side, 'recorded' | 'reserved'> {
  return {
    recorded: async (key) => {
      const select = 'SELECT status FROM calls WHERE key = $1 AND settled_at IS NOT NULL';
      const { rows } = await db.query<{ status: string }>(select, [key]);
      return rows[0]?.status ?? null;
    },
    reserved: async () => {
      const { rows } = await db.query<{ used: string }>('SELECT used FROM counters WHERE name = $1', [form]);
      return Number(rows[0]?.used);
    },
  };
}
