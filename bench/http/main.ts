import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAction } from '../../db/actions/changes.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { buildDefinition } from '../../api/actions/definition.ts';
import { startBenchDatabase } from '../databases.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { caller, runRound, summarize, type Round, type Summary } from './load.ts';
import type { SideName, SideOptions } from './side.ts';
import { startSide } from './start-side.ts';

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
  const takenAt = new Date().toISOString();
  const text = await measure(takenAt);
  process.stdout.write(`\n${text}`);
  if (process.argv.includes('--write')) writeResult('http', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(takenAt: string): Promise<string> {
  const machine = thisMachine();
  const { key, actionId, ...databases } = await prepare();
  const urls = new Map<SideName, string>();
  for (const side of SIDES) {
    const { port, stop } = await startSide({ side, ...databases });
    stops.push(stop);
    urls.set(side, `http://127.0.0.1:${port}/api/v2/actions/${actionId}`);
  }
  const lines = [
    '# GET /api/v2/actions/{ref}: with the rules, without them, and bare',
    '',
    describeRun({ takenAt, machine }),
    `${ROUNDS} rounds of ${ROUND_MS / 1000} s for each side, in turn. The load generator and PostgreSQL share the cores.`,
    '',
  ];
  for (const concurrency of CONCURRENCIES) lines.push(...table(concurrency, await series(urls, key, concurrency)));
  return `${lines.join('\n')}\n`;
}

/** A database with one workspace without a rate limit, one action, one key. */
async function prepare(): Promise<Omit<SideOptions, 'side'> & { key: string; actionId: string }> {
  const { databaseUrl, ownerUrl, stop } = await startBenchDatabase(folder);
  stops.push(stop);
  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: 2 });
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
      return { databaseUrl, ownerUrl, tenant, key, actionId: action.id };
    });
  } finally {
    await db.close();
  }
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
