import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey } from '../../db/api-keys/create-api-key.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/create-workspace.ts';
import { startBenchDatabase } from '../databases.ts';
import { caller, type Round, runRound } from '../http/load.ts';
import type { SideOptions } from '../http/side.ts';
import { startSide } from '../http/start-side.ts';
import { cpuTimesOf } from '../invoke/cpu.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';

/**
 * `npm run bench:docs [-- --write]`: what a page costs the process that serves it, and what readers at 2,000 pages a second change for the
 * callers of the API in the same process.
 */
const PAGE_PATHS = ['/docs/messages', '/messages.md', '/api/docs/pages/messages.json', '/llms.txt'];
const ROUNDS = 6;
const ROUND_MS = 3_000;
const WARM_UP_MS = 2_000;
const READS_AT_ONCE = 8;
const PAGES_PER_SECOND = 2_000;
const CPU_MS_MAX = 2;
/** The p99 of the API beside the readers, times that without them. A busy machine varies by that much alone. */
const RATIO_MAX = 1.5;

const stops: (() => Promise<void> | void)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-docs-'));
try {
  const takenAt = new Date().toISOString();
  const text = await measure(takenAt);
  process.stdout.write(`\n${text}`);
  if (process.argv.includes('--write')) writeResult('docs', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(takenAt: string): Promise<string> {
  const machine = thisMachine();
  const { databaseUrl, ownerUrl, stop } = await startBenchDatabase(folder);
  stops.push(stop);
  const { key, tenant } = await keyIn(databaseUrl);
  const side = await startSide({ side: 'service', databaseUrl, ownerUrl, tenant });
  stops.push(side.stop);
  const baseUrl = `http://127.0.0.1:${side.port}`;
  const lines = await costs(baseUrl, side.pid);
  const alone: Round[] = [];
  const beside: Round[] = [];
  let pages = 0;
  const api = caller(`${baseUrl}/api/v2/actions`, key, 1);
  await runRound(api, 1, WARM_UP_MS);
  // In turn, so that a slow minute of the machine hits both.
  for (let number = 0; number < ROUNDS; number++) {
    alone.push(await runRound(api, 1, ROUND_MS));
    const readers = startReaders(baseUrl);
    beside.push(await runRound(api, 1, ROUND_MS));
    pages += await readers.stop();
  }
  const [p99Alone, p99Beside] = [p99(alone), p99(beside)];
  const rate = pages / ((ROUNDS * ROUND_MS) / 1_000);
  const ratio = p99Beside / p99Alone;
  return `${[
    '# Pages of the documentation, and the API beside their readers',
    '',
    describeRun({ takenAt, machine }),
    `${ROUNDS} rounds of ${ROUND_MS / 1_000} s without and with readers, in turn. The load generators and PostgreSQL share the cores.`,
    '',
    '| path | CPU a request | at most 2 ms |',
    '|---|---|---|',
    ...lines,
    '',
    `GET /api/v2/actions, p99: ${p99Alone.toFixed(2)} ms alone, ${p99Beside.toFixed(2)} ms beside ${rate.toFixed(0)} pages a second: ${ratio.toFixed(2)} times.`,
    `At ${PAGES_PER_SECOND} pages a second at most ${RATIO_MAX} times: ${rate >= PAGES_PER_SECOND * 0.95 && ratio <= RATIO_MAX ? 'met' : '**missed**'}.`,
  ].join('\n')}\n`;
}

/** The CPU time of the serving process for each request, by path: the log, the compression and the connection included. */
async function costs(baseUrl: string, pid: number): Promise<string[]> {
  const lines: string[] = [];
  for (const pagePath of PAGE_PATHS) {
    const read = caller(`${baseUrl}${pagePath}`, '', READS_AT_ONCE);
    await runRound(read, READS_AT_ONCE, WARM_UP_MS);
    const before = cpuMs(pid);
    const { calls } = await runRound(read, READS_AT_ONCE, ROUND_MS);
    const cost = (cpuMs(pid) - before) / calls;
    lines.push(`| ${pagePath} | ${cost.toFixed(2)} ms | ${cost <= CPU_MS_MAX ? 'met' : '**missed**'} |`);
  }
  return lines;
}

function cpuMs(pid: number): number {
  return Object.values(cpuTimesOf(pid)).reduce((sum, ms) => sum + ms, 0);
}

function startReaders(baseUrl: string): { stop(): Promise<number> } {
  const file = fileURLToPath(new URL('./readers.js', import.meta.url));
  const child = fork(file, [baseUrl, String(PAGES_PER_SECOND), ...PAGE_PATHS]);
  return {
    stop: async () =>
      new Promise((resolve, reject) => {
        child.once('message', (answered) => resolve(Number(answered)));
        child.once('exit', (code) => reject(new Error(`the readers ended with ${code}`)));
        child.send('stop');
      }),
  };
}

function p99(rounds: readonly Round[]): number {
  const sorted = rounds.flatMap((round) => round.latenciesMs).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

/** A workspace without a rate limit, and a key of it. */
async function keyIn(databaseUrl: string): Promise<{ key: string; tenant: SideOptions['tenant'] }> {
  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: 2 });
  try {
    const { workspaceId, environments } = await createWorkspace(db, 'Benchmark', 'enterprise', ENVIRONMENT_KINDS);
    const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
    const { key } = await db.withEnvironment(tenant, (tx) =>
      createApiKey(tx, { name: 'bench', preset: 'full_access' }),
    );
    return { key, tenant };
  } finally {
    await db.close();
  }
}
