import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { LocalEmbedder } from '../../activities/adapters/embeddings/local-embedder.ts';
import { getActionRoute } from '../../api/actions/get-action.ts';
import { ACTION_COLUMNS, toActionRecord, type ActionRow } from '../../db/actions/records.ts';
import { presentAction } from '../../api/actions/action-schemas.ts';
import { selected } from '../../db/columns.ts';
import { Database } from '../../db/client.ts';
import { startBenchApi } from '../start-api.ts';

/**
 * One side of the comparison in a process of its own: it listens, tells its parent the port, and ends when the parent goes.
 * - `service`: server.ts as it is, over a real access log.
 * - `handler`: the route's own handler behind Koa, with the rules of the machinery off: no credential is checked.
 * - `bare`: what one would write without this service: Koa and the same query with the same settings of the pool.
 */
export type SideName = 'service' | 'handler' | 'bare';

export interface SideOptions {
  side: SideName;
  databaseUrl: string;
  /** For the `bare` side. Row-level security does not apply to this login, because the side sets no tenant. */
  ownerUrl: string;
  tenant: { workspaceId: string; environmentId: string };
}

const POOL_MAX = 20;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const PATH = /^\/api\/v2\/actions\/(?<ref>[^/]+)$/;

function startService({ databaseUrl }: SideOptions): Promise<number> {
  // This route never embeds anything.
  const embedder = new LocalEmbedder({ modelFolder: () => '' });
  return startBenchApi(databaseUrl, POOL_MAX, embedder);
}

function startHandler({ databaseUrl, tenant }: SideOptions): Promise<number> {
  const db = new Database({ url: databaseUrl, poolMax: POOL_MAX, applicationName: 'bench-handler' });
  if (getActionRoute.of !== 'environment') throw new Error('the route has changed its kind');
  const { read } = getActionRoute;
  if (read === undefined) throw new Error('the route has changed its form');
  type Context = Parameters<typeof read>[1];
  return listen(async (ref) => {
    // The handler uses none of the other fields.
    const context = { params: { ref } } as unknown as Context;
    const data = await db.withEnvironment(tenant, (tx) => read(tx, context), { readOnly: true });
    return { success: true, data };
  });
}

function startBare({ ownerUrl, tenant }: SideOptions): Promise<number> {
  const db = new Database({ url: ownerUrl, poolMax: POOL_MAX, applicationName: 'bench-bare' });
  return listen(async (ref) => {
    const { rows } = await db.directory.raw<{ rows: ActionRow[] }>(
      null,
      `SELECT ${selected(ACTION_COLUMNS)} FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id
       WHERE actions.id = ? AND actions.environment_id = ?`,
      [ref, tenant.environmentId],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the action of the benchmark is not there');
    return { success: true, data: presentAction(toActionRecord(row)) };
  });
}

function listen(answer: (ref: string) => Promise<unknown>): Promise<number> {
  const app = new Koa();
  app.use(async (ctx) => {
    const ref = PATH.exec(ctx.path)?.groups?.['ref'];
    if (ref === undefined) return;
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(await answer(ref));
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  // Idle connections must stay open while another side runs its round.
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const STARTS: Record<SideName, (options: SideOptions) => Promise<number>> = {
  service: startService,
  handler: startHandler,
  bare: startBare,
};

const options = JSON.parse(process.argv[2] ?? '') as SideOptions;
process.once('disconnect', () => process.exit(0));
process.send?.({ port: await STARTS[options.side](options) });
