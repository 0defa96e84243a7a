import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '../../db/client.ts';
import { startModule } from '../invoke/child.ts';
import { startService } from '../invoke/service.ts';
import { type Measured, measureCalls, row, summarize } from '../latencies.ts';
import { currentCommit, describeRun, type Machine, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { bringCrowd } from './crowd.ts';
import { type NeighboursOptions, readOptions } from './options.ts';
import { type Caller, createAction, createCaller, mustPost } from './workspaces.ts';

/** `npm run bench:neighbours`. See docs/performance-neighbours.md. */
const ACTION = 'victim.order';
const TIMEOUT_MS = 30_000;
const WARM_UP_CALLS = 30;
/** The aim: beside the crowd the victim's p99 is at most this many times its quiet p99. */
const RATIO_MAX = 2;

interface Result {
  takenAt: string;
  commit: string;
  machine: Machine;
  crowd: { invocations: number; messages: number };
  quiet: Measured;
  crowded: Measured;
}

const stops: (() => Promise<void>)[] = [];
const options = readOptions(process.argv.slice(2));
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-neighbours-'));
try {
  const result = await measure(options);
  const text = render(result);
  console.log(`\n${text}`);
  if (options.write) writeResult('neighbours', result.takenAt, text, result);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(settings: NeighboursOptions): Promise<Result> {
  const machine = thisMachine();
  const service = await startService(dataDir, []);
  stops.push(() => service.stop());
  const { baseUrl, databaseUrl, databaseOwnerUrl } = service.credentials;
  if (databaseOwnerUrl === null) throw new Error('the embedded database has an owner');
  const target = await startModule('../neighbours/target.js', []);
  stops.push(() => target.child.stop());
  const targetUrl = `http://127.0.0.1:${target.ready.port}`;

  const db = new Database({ url: databaseUrl, applicationName: 'bench', poolMax: 2 });
  const [victim, crowd] = [await createCaller(db, baseUrl, 'Victim'), await createCaller(db, baseUrl, 'Crowd')];
  await db.close();
  await createAction(victim, ACTION, `${targetUrl}/order`, TIMEOUT_MS);
  const call = (): Promise<void> => invoke(victim);
  await measureCalls(call, WARM_UP_CALLS);

  const quiet = await roundsOf('alone', call, settings);
  await bringCrowd(crowd, databaseOwnerUrl, targetUrl, settings, console.log);
  await delay(settings.restMs);
  const crowded = await roundsOf('beside the crowd', call, settings);
  const { invocations, messages } = settings;
  return {
    takenAt: new Date().toISOString(),
    commit: currentCommit(),
    machine,
    crowd: { invocations, messages },
    quiet,
    crowded,
  };
}

/** Invoke to receipt, over HTTP. Throws if the reply has no receipt of success. */
async function invoke(victim: Caller): Promise<void> {
  const reply = await mustPost(victim, `/api/v2/actions/${ACTION}/invoke`, { input: {} });
  if (!reply.includes('"status":"succeeded"')) throw new Error(`the victim's invocation did not succeed: ${reply}`);
}

async function roundsOf(
  name: string,
  call: () => Promise<void>,
  { rounds: count, callsPerRound }: NeighboursOptions,
): Promise<Measured> {
  const rounds: number[][] = [];
  for (let number = 0; number < count; number++) {
    const latenciesMs = await measureCalls(call, callsPerRound);
    rounds.push(latenciesMs);
    const { p50Ms, p99Ms } = summarize({ rounds: [latenciesMs] });
    console.log(`  ${name}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  }
  return { rounds };
}

function render({ takenAt, commit, machine, crowd, quiet, crowded }: Result): string {
  const [alone, beside] = [summarize(quiet), summarize(crowded)];
  const ratio = beside.p99Ms / alone.p99Ms;
  return `# A workspace beside another one's crowd

${describeRun({ takenAt, commit, machine })}

The victim invokes a governed action one at a time, from the request to the receipt. The crowd is another workspace with ${crowd.invocations.toLocaleString('en')} invocations
that hang and ${crowd.messages.toLocaleString('en')} deliveries queued behind deliveries that hang. One run of \`npm start\`; API, worker, PostgreSQL, Temporal and the load share the cores.

| victim | p50 | p99 | slowest | calls |
| --- | --- | --- | --- | --- |
${row('alone', alone)}
${row('beside the crowd', beside)}

p99 beside the crowd: ${ratio.toFixed(2)} times the quiet one; the aim is ${RATIO_MAX}: ${ratio <= RATIO_MAX ? 'met' : '**missed**'}. p50: ${(beside.p50Ms / alone.p50Ms).toFixed(2)} times.
`;
}
