import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Database } from '../../db/client.ts';
import { cheapWeight, isCheapFor } from '../../domain/json-schema/cost.ts';
import { compileSchema } from '../../domain/json-schema/json-schema.ts';
import { startBenchDatabase } from '../databases.ts';
import { caller } from '../http/load.ts';
import { startSide } from '../http/start-side.ts';
import { type Measured, measureCalls, measureFor, row, summarize } from '../latencies.ts';
import { currentCommit, describeRun, type Machine, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { type Caller, createCaller, mustPost } from '../neighbours/workspaces.ts';
import { CHEAP_AND_HEAVY, HOSTILE, type SchemaAndInput } from './hostile.ts';

/** `npm run bench:schemas`. See docs/performance-neighbours.md. */
const HOSTILE_AT_ONCE = 20;
const WARM_UP_CALLS = 100;
/** The aim for a cheap GET of a neighbour meanwhile, on two cores. */
const P99_MS_MAX = 100;
/** What domain/json-schema/cost.ts assumes of the most work that it lets onto the event loop. */
const CHEAP_MS_MAX = 15;
const CHEAP_RUNS = 200;

const USAGE = `Usage: npm run bench:schemas -- [options]
  --rounds=5            of the neighbour alone, and as many under the hostile validations
  --round-seconds=6     of GETs in a round, one at a time
  --no-write            leave bench/results as it is

A short run: --rounds=2 --round-seconds=4 --no-write`;

interface Result {
  takenAt: string;
  commit: string;
  machine: Machine;
  quiet: Measured;
  hostile: Measured;
  /** Replies to hostile validations, by status. */
  replies: Record<string, number>;
  /** The most expensive validations that run on the event loop. */
  cheap: { name: string; medianMs: number; maxMs: number }[];
}

const stops: (() => Promise<void> | void)[] = [];
const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    rounds: { type: 'string', default: '5' },
    'round-seconds': { type: 'string', default: '6' },
    'no-write': { type: 'boolean', default: false },
  },
});
const [rounds, roundMs] = [Number(values.rounds), Number(values['round-seconds']) * 1000];
if (!(rounds >= 1) || !(roundMs > 0)) throw new Error(USAGE);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-schemas-'));
try {
  const result = await measure();
  const text = render(result);
  console.log(`\n${text}`);
  if (!values['no-write']) writeResult('schemas', result.takenAt, text, result);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<Result> {
  const machine = thisMachine();
  const cheap = Object.entries(CHEAP_AND_HEAVY).map(([name, one]) => ({ name, ...timeOnEventLoop(name, one) }));
  const { neighbour, hostile, baseUrl } = await prepare();
  await mustPost(neighbour, '/api/v2/actions', {
    name: 'neighbour.order',
    adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } },
  });
  const call = caller(`${baseUrl}/api/v2/actions/neighbour.order`, neighbour.key, 1);
  await measureCalls(call, WARM_UP_CALLS);
  const quiet = await roundsOf('alone', call);
  const crowd = await startHostile(hostile);
  const under = await roundsOf('under hostile validations', call);
  return {
    takenAt: new Date().toISOString(),
    commit: currentCommit(),
    machine,
    quiet,
    hostile: under,
    replies: await crowd.stop(),
    cheap,
  };
}

/** A database and `server.ts` as it is, in a process of its own, with two workspaces without a rate limit. */
async function prepare(): Promise<{ neighbour: Caller; hostile: Caller; baseUrl: string }> {
  const { databaseUrl, ownerUrl, stop } = await startBenchDatabase(folder);
  stops.push(stop);
  const tenant = { workspaceId: '', environmentId: '' };
  const service = await startSide({ side: 'service', databaseUrl, ownerUrl, tenant });
  stops.push(service.stop);
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: 2 });
  const neighbour = await createCaller(db, baseUrl, 'Neighbour');
  const hostile = await createCaller(db, baseUrl, 'Hostile');
  await db.close();
  return { neighbour, hostile, baseUrl };
}

/** Keeps twenty validations of hostile schemas under way, of inputs that are refused before anything is dispatched. */
async function startHostile(hostile: Caller): Promise<{ stop(): Promise<Record<string, number>> }> {
  const schemas = Object.entries(HOSTILE);
  for (const [index, [, { schema }]] of schemas.entries()) {
    await mustPost(hostile, '/api/v2/actions', {
      name: `hostile.${index}`,
      inputSchema: schema,
      adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } },
    });
  }
  const replies: Record<string, number> = {};
  const end = new AbortController();
  const loop = async (index: number): Promise<void> => {
    while (!end.signal.aborted) {
      const at = index++ % schemas.length;
      const { status } = await hostile.post(`/api/v2/actions/hostile.${at}/invoke`, { input: schemas[at]?.[1].input });
      replies[status] = (replies[status] ?? 0) + 1;
    }
  };
  const loops = Array.from({ length: HOSTILE_AT_ONCE }, (_, index) => loop(index));
  return {
    stop: async () => {
      end.abort();
      await Promise.all(loops);
      return replies;
    },
  };
}

async function roundsOf(name: string, call: () => Promise<void>): Promise<Measured> {
  const measured: number[][] = [];
  for (let number = 0; number < rounds; number++) {
    const latenciesMs = await measureFor(call, roundMs);
    measured.push(latenciesMs);
    const { p50Ms, p99Ms } = summarize({ rounds: [latenciesMs] });
    console.log(`  ${name}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  }
  return { rounds: measured };
}

/** How long a validation takes that cost.ts lets onto the event loop although it is near the bound. */
function timeOnEventLoop(name: string, { schema, input }: SchemaAndInput): { medianMs: number; maxMs: number } {
  const weight = cheapWeight(schema);
  if (weight === null || !isCheapFor(weight, input))
    throw new Error(`${name} would run in a thread: it is over the bound`);
  const compiled = compileSchema(schema);
  const times: number[] = [];
  for (let run = 0; run < CHEAP_RUNS; run++) {
    const startedAt = performance.now();
    compiled.fitsAtOnce(input);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { medianMs: times[Math.floor(times.length / 2)] ?? Number.NaN, maxMs: times.at(-1) ?? Number.NaN };
}

function render({ takenAt, commit, machine, quiet, hostile, replies, cheap }: Result): string {
  const [alone, under] = [summarize(quiet), summarize(hostile)];
  const slowest = Math.max(...cheap.map(({ medianMs }) => medianMs));
  return `# A cheap GET under another workspace's hostile JSON Schemas

${describeRun({ takenAt, commit, machine })}

The neighbour reads an action, one call at a time. Another workspace keeps ${HOSTILE_AT_ONCE} validations of hostile schemas under way: ${Object.keys(HOSTILE).join('; ')}.
\`server.ts\` in a process of its own; PostgreSQL and the load share the cores.

| neighbour | p50 | p99 | slowest | calls |
| --- | --- | --- | --- | --- |
${row('alone', alone)}
${row('under hostile validations', under)}

p99 under hostile validations: the aim is below ${P99_MS_MAX} ms on two cores: ${under.p99Ms < P99_MS_MAX ? 'met' : '**missed**'}; ${(under.p99Ms / alone.p99Ms).toFixed(1)} times the quiet one.
The hostile workspace was answered ${Object.entries(replies)
    .map(([status, count]) => `${status} ${count} times`)
    .join(', ')}.

## The most work on the event loop

What \`domain/json-schema/cost.ts\` lets onto the event loop, at its bound; it assumes at most ${CHEAP_MS_MAX} ms: ${slowest <= CHEAP_MS_MAX ? 'holds' : '**does not hold**'}.

| schema | median | slowest of ${CHEAP_RUNS} |
| --- | --- | --- |
${cheap.map(({ name, medianMs, maxMs }) => `| ${name} | ${medianMs.toFixed(2)} ms | ${maxMs.toFixed(2)} ms |`).join('\n')}
`;
}
