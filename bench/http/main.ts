import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAction } from '../../db/actions/create-action.ts';
import { createApiKey } from '../../db/api-keys/create-api-key.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/create-workspace.ts';
import { migrate } from '../../db/migrate.ts';
import { buildDefinition } from '../../api/actions/definition.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { projectRoot } from '../../embedded/project-root.ts';
import { caller, runRound, summarize, type Round, type Summary } from './load.ts';
import type { SideName, SideOptions } from './side.ts';

/** `npm run bench:http [-- --write]`. See docs/performance-http.md. */
const SIDES: readonly SideName[] = ['service', 'handler', 'bare'];
const CONCURRENCIES = [1, 32];
const ROUNDS = 6;
const ROUND_MS = 3_000;
const WARM_UP_MS = 3_000;
/** The target ratio: the route may cost at most this many times the bare route. */
const RATIO_MAX = 2;

const stops: (() => Promise<void> | void)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-http-'));
try {
  const text = await measure();
  process.stdout.write(`\n${text}`);
  if (process.argv.includes('--write')) {
    const results = path.join(projectRoot(), 'bench', 'results');
    mkdirSync(results, { recursive: true });
    writeFileSync(path.join(results, `http-${new Date().toISOString().slice(0, 10)}.md`), text);
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<string> {
  const load = loadavg()[0] ?? Number.NaN;
  const { key, actionId, ...databases } = await prepare();
  const urls = new Map<SideName, string>();
  for (const side of SIDES) {
    const port = await startSide({ side, ...databases });
    urls.set(side, `http://127.0.0.1:${port}/api/v2/actions/${actionId}`);
  }
  const lines = [
    '# GET /api/v2/actions/{ref}: with the rules, without them, and bare',
    '',
    `${new Date().toISOString()}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, Node ${process.version}, load before ${load.toFixed(1)}.`,
    `${ROUNDS} rounds of ${ROUND_MS / 1000} s for each side, in turn. The load generator and PostgreSQL share the cores.`,
    '',
  ];
  for (const concurrency of CONCURRENCIES) lines.push(...table(concurrency, await series(urls, key, concurrency)));
  return `${lines.join('\n')}\n`;
}

/** A PostgreSQL of its own with the embedded settings, one workspace without a rate limit, one action, one key. */
async function prepare(): Promise<Omit<SideOptions, 'side'> & { key: string; actionId: string }> {
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), port: 0 });
  stops.push(() => postgres.stop());
  const application = new URL(postgres.ownerUrl);
  application.username = 'bench_application';
  application.password = 'bench';
  await migrate({ ownerUrl: postgres.ownerUrl, applicationUrl: application.href });
  const db = new Database({ url: application.href, applicationName: 'bench', poolMax: 2 });
  try {
    const { workspaceId, environments } = await createWorkspace(db, 'Benchmark', 'enterprise', ENVIRONMENT_KINDS);
    const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
    return await db.withEnvironment(tenant, async (tx) => {
      const { key, record } = await createApiKey(tx, { name: 'bench', preset: 'full_access' });
      const adapter = { type: 'http.request', config: { method: 'POST' as const, url: 'https://example.com/hook' } };
      const { definition, digest } = buildDefinition({ adapter }, null, []);
      const action = await createAction(tx, {
        environmentId: tenant.environmentId,
        name: 'bench',
        description: null,
        version: { definition, digest, createdBy: { type: 'api_key', id: record.id }, changeNote: null },
      });
      return { databaseUrl: application.href, ownerUrl: postgres.ownerUrl, tenant, key, actionId: action.id };
    });
  } finally {
    await db.close();
  }
}

function startSide(options: SideOptions): Promise<number> {
  const child = fork(fileURLToPath(new URL('./side.js', import.meta.url)), [JSON.stringify(options)]);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stops.push(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the side ${options.side} ended with ${code}`)));
  });
}

/** Runs the sides in turn, so that a slow minute of the machine hits all of them. */
async function series(
  urls: ReadonlyMap<SideName, string>,
  key: string,
  concurrency: number,
): Promise<Record<SideName, Summary>> {
  const calls = new Map([...urls].map(([side, url]) => [side, caller(url, key, concurrency)]));
  const rounds: Record<SideName, Round[]> = { service: [], handler: [], bare: [] };
  for (const call of calls.values()) await runRound(call, concurrency, WARM_UP_MS);
  for (let number = 0; number < ROUNDS; number++) {
    for (const [side, call] of calls) rounds[side].push(await runRound(call, concurrency, ROUND_MS));
  }
  return {
    service: summarize(rounds.service),
    handler: summarize(rounds.handler),
    bare: summarize(rounds.bare),
  };
}

function table(concurrency: number, summaries: Record<SideName, Summary>): string[] {
  const { bare } = summaries;
  const rows = SIDES.map((side) => {
    const { p50Ms, p95Ms, callsPerSecond, calls } = summaries[side];
    const times = (p50Ms / bare.p50Ms).toFixed(2);
    const less = (bare.callsPerSecond / callsPerSecond).toFixed(2);
    return `| ${side} | ${p50Ms.toFixed(2)} ms | ${p95Ms.toFixed(2)} ms | ${callsPerSecond.toFixed(0)}/s | ${times} | ${less} | ${calls} |`;
  });
  const isMet =
    summaries.service.p50Ms <= RATIO_MAX * bare.p50Ms &&
    bare.callsPerSecond <= RATIO_MAX * summaries.service.callsPerSecond;
  return [
    `## ${concurrency} at once`,
    '',
    '| side | p50 | p95 | throughput | p50, times bare | bare throughput, times this | calls |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `At most ${RATIO_MAX} times the bare route: ${isMet ? 'met' : '**missed**'}.`,
    '',
  ];
}
