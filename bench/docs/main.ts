import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { Database } from '../../db/client.ts';
import { createWorkspace, ENVIRONMENT_KINDS } from '../../db/environments/workspaces.ts';
import { startBenchDatabase } from '../databases.ts';
import { caller, type Round, runRound } from '../http/load.ts';
import type { SideOptions } from '../http/side.ts';
import { startSide } from '../http/start-side.ts';
import { cpuTimesOf } from '../invoke/cpu.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';

/**
 * `npm run bench:docs [-- --write]`: what a page costs the process that serves it, and what readers at 2,000 pages a second change for the
 * callers of the API in the same process. The readers themselves take a good part of two cores, so the API is measured beside readers of a
 * bare server as well.
 */
const PAGE_PATHS = ['/docs/messages', '/messages.md', '/api/docs/pages/messages.json', '/llms.txt'];
const ROUNDS = 6;
const ROUND_MS = 3_000;
const WARM_UP_MS = 2_000;
const READS_AT_ONCE = 8;
const PAGES_PER_SECOND = 2_000;
const CPU_MS_MAX = 2;
/** The p99 of the API beside the readers of its pages, times that beside readers of a bare server. A busy machine varies by that much alone. */
const RATIO_MAX = 1.25;

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
  const bare = await startBare(baseUrl);
  const rounds: Record<'alone' | 'bare' | 'pages', Round[]> = { alone: [], bare: [], pages: [] };
  let pages = 0;
  const api = caller(`${baseUrl}/api/v2/actions`, key, 1);
  await runRound(api, 1, WARM_UP_MS);
  // In turn, so that a slow minute of the machine hits both.
  for (let number = 0; number < ROUNDS; number++) {
    rounds.alone.push(await runRound(api, 1, ROUND_MS));
    for (const [side, url] of [
      ['bare', bare],
      ['pages', baseUrl],
    ] as const) {
      const readers = startReaders(url);
      rounds[side].push(await runRound(api, 1, ROUND_MS));
      const answered = await readers.stop();
      if (side === 'pages') pages += answered;
    }
  }
  const [alone, besideBare, besidePages] = [p99(rounds.alone), p99(rounds.bare), p99(rounds.pages)];
  const rate = pages / ((ROUNDS * ROUND_MS) / 1_000);
  const ratio = besidePages / besideBare;
  return `${[
    '# Pages of the documentation, and the API beside their readers',
    '',
    describeRun({ takenAt, machine }),
    `${ROUNDS} rounds of ${ROUND_MS / 1_000} s each: without readers, beside readers of a bare server, beside readers of the service, in turn. The load generators and PostgreSQL share the cores.`,
    '',
    '| path | CPU a request | at most 2 ms |',
    '|---|---|---|',
    ...lines,
    '',
    `GET /api/v2/actions, p99: ${alone.toFixed(2)} ms alone, ${besideBare.toFixed(2)} ms beside readers of a bare server, ${besidePages.toFixed(2)} ms beside ${rate.toFixed(0)} pages a second of the service.`,
    `At ${PAGES_PER_SECOND} pages a second at most ${RATIO_MAX} times that beside the bare server: ${ratio.toFixed(2)}, ${rate >= PAGES_PER_SECOND * 0.95 && ratio <= RATIO_MAX ? 'met' : '**missed**'}.`,
  ].join('\n')}\n`;
}

/** The CPU time of the serving process for each request, by path: the log, the compression and the connection included. */
async function costs(baseUrl: string, pid: number): Promise<string[]> {
  const lines: string[] = [];
  for (const pagePath of PAGE_PATHS) {
    // Each reader has an address of its own: what one network may read in a second is bounded.
    const readers = Array.from({ length: READS_AT_ONCE }, (_, at) =>
      caller(`${baseUrl}${pagePath}`, '', 1, `127.0.0.${at + 2}`),
    );
    let next = 0;
    const read = (): Promise<void> => readers[next++ % READS_AT_ONCE]?.() ?? Promise.reject(new Error('no reader'));
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

/** The address of a bare server of the same pages, which ends with this process. */
async function startBare(baseUrl: string): Promise<string> {
  const child = fork(fileURLToPath(new URL('./bare.js', import.meta.url)), [baseUrl, ...PAGE_PATHS]);
  stops.push(() => void child.kill());
  const port = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the bare server ended with ${code}`)));
  });
  return `http://127.0.0.1:${String(port)}`;
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
