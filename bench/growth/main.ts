import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { logTail } from '../invoke/service.ts';
import { measureCalls, summarize } from '../latencies.ts';
import { currentCommit, thisMachine } from '../machine.ts';
import { countCosts } from '../peers/costs.ts';
import { inTurn, runClosed } from '../peers/load.ts';
import { type Ask, startOurs } from '../peers/ours.ts';
import { type Servers, startServers } from '../peers/servers.ts';
import { loadedOf, type Side } from '../peers/side.ts';
import { writeResult } from '../results.ts';
import { multiply, sizes, wholeReads } from './multiply.ts';
import { type Grown, READS, render } from './report.ts';

/** `npm run bench:growth`: what an invocation and a read cost beside many that are stored. See docs/performance.md. */
const USAGE = `Usage: npm run bench:growth -- [options]
  --stored=1000,1000000  invocations that are stored, of each side; multiples of --made
  --made=1000            of them by calls; the others are copies of those
  --rounds=6             of each side for each level, in turn
  --seconds=5            of a round
  --reads=200            of each kind
  --counted-calls=60     of each side, for statements and WAL
  --write                keeps the result in bench/results`;
const LEVELS = [1, 8];
const MADE_AT_ONCE = 8;
const WARM_UP_MS = 3_000;

interface Installed {
  side: Side;
  ask: Ask;
  owner: Client;
  grown: Grown;
}

const options = readOptions();
const stops: (() => Promise<void>)[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'bench-growth-'));
try {
  const machine = thisMachine();
  const takenAt = new Date().toISOString();
  const commit = currentCommit();
  const servers = await startServers(folder, stops);
  const installed: Installed[] = [];
  for (const stored of options.stored) installed.push(await install(servers, stored));
  await servers.owner.query('CHECKPOINT');
  const grown = await measure(servers, installed);
  const text = render({ takenAt, commit, machine, grown });
  console.log(`\n${text}`);
  if (options.write) writeResult('growth', takenAt, text, grown);
} catch (error) {
  for (const stored of options.stored) console.error(`The end of the log at ${stored}:\n${logTail(folderOf(stored))}`);
  throw error;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}

function folderOf(stored: number): string {
  return path.join(folder, `of-${stored}`);
}

/** A service with a database of its own, in which so many governed invocations are stored. */
async function install(servers: Servers, stored: number): Promise<Installed> {
  const database = `growth_${stored}`;
  const peer = await startOurs(folderOf(stored), servers, ['governed'], [], database);
  stops.push(() => peer.stop());
  const [side] = peer.sides;
  if (side === undefined) throw new Error('the governed side was asked for');
  const owner = new Client({ connectionString: servers.urlOf(database) });
  await owner.connect();
  stops.push(() => owner.end());
  console.log(`${stored} invocations: ${options.made} by calls …`);
  const { call } = loadedOf(side);
  const caller = async (_: unknown, index: number): Promise<void> => {
    for (let made = index; made < options.made; made += MADE_AT_ONCE) await call();
  };
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, caller));
  const copies = stored / options.made - 1;
  if (copies > 0) {
    console.log(`${stored - options.made} by copies …`);
    await multiply(owner, copies);
  } else {
    await owner.query('VACUUM ANALYZE');
  }
  const { invocations, bytes } = await sizes(owner);
  if (invocations !== stored) throw new Error(`${stored} were to be stored, ${invocations} are`);
  const grown = { stored, bytes, levels: {}, readsMs: {}, costs: null, wholeReads: {} };
  return { side, ask: peer.ask, owner, grown };
}

async function measure(servers: Servers, installed: readonly Installed[]): Promise<Grown[]> {
  const before = await Promise.all(installed.map(({ owner }) => wholeReads(owner)));
  for (const inFlight of LEVELS) {
    for (const { side } of installed) await runClosed(loadedOf(side), inFlight, WARM_UP_MS);
    for (let round = 0; round < options.rounds; round++) {
      for (const { side, grown } of inTurn(installed, round)) {
        const measured = await runClosed(loadedOf(side), inFlight, options.seconds * 1_000);
        (grown.levels[inFlight] ??= []).push(measured);
        const { p50Ms } = summarize({ rounds: [measured.latenciesMs] });
        console.log(`  ${grown.stored} stored, ${inFlight} in flight: p50 ${p50Ms.toFixed(1)} ms`);
      }
    }
  }
  await measureReads(installed);
  for (const [at, { side, owner, grown }] of installed.entries()) {
    const [costs] = Object.values(await countCosts(servers, [side], options.countedCalls));
    grown.costs = costs ?? null;
    for (const [table, reads] of await wholeReads(owner)) {
      grown.wholeReads[table] = reads - (before[at]?.get(table) ?? 0);
    }
  }
  return installed.map(({ grown }) => grown);
}

async function measureReads(installed: readonly Installed[]): Promise<void> {
  for (const [name, readOf] of Object.entries(READS)) {
    for (const { ask, grown } of installed) {
      const target = await readOf(ask);
      const read = async (): Promise<void> => void (await ask('GET', target));
      await measureCalls(read, 5);
      grown.readsMs[name] = await measureCalls(read, options.reads);
    }
  }
}

function readOptions() {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  const { values } = parseArgs({
    options: {
      stored: text('1000,1000000'),
      made: text('1000'),
      rounds: text('6'),
      seconds: text('5'),
      reads: text('200'),
      'counted-calls': text('60'),
      write: { type: 'boolean', default: false },
    },
  });
  const positive = (value: string): number => {
    const number = Math.trunc(Number(value));
    if (!Number.isFinite(number) || number <= 0) throw new Error(USAGE);
    return number;
  };
  const made = positive(values.made);
  const stored = values.stored.split(',').map(positive);
  if (stored.some((count) => count % made !== 0)) throw new Error(USAGE);
  return {
    made,
    stored,
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
    reads: positive(values.reads),
    countedCalls: positive(values['counted-calls']),
    write: values.write,
  };
}
