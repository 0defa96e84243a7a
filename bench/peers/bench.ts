import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { callJson } from '../../embedded/http-json.ts';
import { logTail } from '../invoke/service.ts';
import { currentCommit, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { countCosts } from './costs.ts';
import { closedFigures, openFigures } from './figures.ts';
import type { Form } from './job.ts';
import { killOften } from './kills.ts';
import { libraryVersions, restateServer } from './libraries.ts';
import { inTurn, runClosed, runOpen } from './load.ts';
import { type PeersOptions, readOptions } from './options.ts';
import { startOurs } from './ours.ts';
import { startPeer } from './peers.ts';
import { render, type Result } from './report.ts';
import { startRestateServer } from './restate-server.ts';
import { type Servers, startServers } from './servers.ts';
import { loadedOf, type Peer, PEER_NAMES, peerOf, type Side, type SideName } from './side.ts';

/** What main.ts runs. Its standard input ends with main.ts, and no process outlives a killed benchmark. */
process.stdin.on('end', () => process.exit(1)).resume();

const stops: (() => Promise<void>)[] = [];
const options = readOptions(process.argv.slice(2));
if (options === null) throw new Error('main.ts prints the usage');
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-peers-'));
const serviceDir = path.join(dataDir, 'service');
try {
  const result = await measure(options);
  const text = render(result);
  console.log(`\n${text}`);
  if (options.write) writeResult('peers', result.takenAt, text, result);
} catch (error) {
  console.error(`The end of the service's log:\n${logTail(serviceDir)}`);
  throw error;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
  process.stdin.destroy();
}

async function measure(settings: PeersOptions): Promise<Result> {
  const machine = thisMachine();
  const leftOut = settings.sides.filter((side) => peerOf(side) === 'Restate' && restateServer() === null);
  const servers = await startServers(dataDir, stops);
  const names = settings.sides.filter((side) => !leftOut.includes(side));
  const peers = await startPeers(servers, names, settings.nodeFlags);
  const sides = counted(peers.flatMap((peer) => peer.sides));
  const closed = await runLevels(sides.all, settings);
  const open = await runRates(sides.all, settings);
  const costs = settings.countedCalls === 0 ? {} : await countCosts(servers, sides.all, settings.countedCalls);
  await checkCount(servers, sides.sent());
  const guarantees = await killAll(peers, servers, settings.kills);
  return {
    takenAt: new Date().toISOString(),
    commit: currentCommit(),
    machine,
    versions: [
      ...libraryVersions(),
      `Temporal server ${servers.temporalVersion}`,
      `PostgreSQL ${servers.postgresVersion}`,
    ],
    leftOut: leftOut.map((side) => `${side} (there is no package of its server for ${machine.platform})`),
    seed: settings.seed,
    closed,
    open,
    costs,
    guarantees,
  };
}

/** Each peer has one process, for all of its sides. */
async function startPeers(servers: Servers, sides: readonly SideName[], nodeFlags: readonly string[]): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const name of PEER_NAMES) {
    const forms = sides.filter((side) => peerOf(side) === name).map((side) => side.slice(name.length + 2));
    if (forms.length === 0) continue;
    console.log(`Starting ${name} …`);
    const peer =
      name === 'ours'
        ? await startOurs(serviceDir, servers, forms as ('governed' | 'ungoverned')[], nodeFlags)
        : await startPeer({ name, forms: forms as Form[], servers, restate: await restateFor(name) });
    stops.push(() => peer.stop());
    peers.push(peer);
  }
  return peers;
}

async function restateFor(name: string) {
  const binary = restateServer();
  if (name !== 'Restate' || binary === null) return null;
  const server = await startRestateServer(binary, path.join(dataDir, 'restate'));
  stops.push(() => server.stop());
  return server;
}

/** The same sides, and how many calls they have sent. */
function counted(sides: readonly Side[]): { all: Side[]; sent: () => number } {
  let sent = 0;
  const all = sides.map((side) => ({
    ...side,
    send: (key: string, message: string) => {
      sent += 1;
      return side.send(key, message);
    },
  }));
  return { all, sent: () => sent };
}

async function runLevels(sides: readonly Side[], settings: PeersOptions): Promise<Result['closed']> {
  const levels: Result['closed'] = [];
  for (const inFlight of settings.levels) {
    console.log(`${inFlight} in flight:`);
    const rounds: Result['closed'][number]['rounds'] = {};
    for (const side of sides) {
      await runClosed(loadedOf(side), inFlight, settings.warmUpMs);
      say(side, 'is warm');
    }
    for (let number = 0; number < settings.rounds; number++) {
      for (const side of inTurn(sides, number)) {
        const round = await runClosed(loadedOf(side), inFlight, settings.roundMs);
        (rounds[side.name] ??= []).push(round);
        const { p50Ms, perSecond, cpuMs } = closedFigures([round]);
        say(
          side,
          `p50 ${p50Ms.median.toFixed(1)} ms, ${perSecond.median.toFixed(0)}/s, CPU ${cpuMs.all.toFixed(1)} ms`,
        );
      }
    }
    levels.push({ inFlight, rounds });
  }
  return levels;
}

async function runRates(sides: readonly Side[], settings: PeersOptions): Promise<Result['open']> {
  const rates: Result['open'] = [];
  for (const [index, perSecond] of settings.rates.entries()) {
    console.log(`${perSecond} a second, whatever is answered, from the seed ${settings.seed}:`);
    const runs: Result['open'][number]['runs'] = {};
    for (const side of inTurn(sides, index)) {
      const run = await runOpen(loadedOf(side), { perSecond, durationMs: settings.openMs, seed: settings.seed });
      runs[side.name] = run;
      const { p50Ms, p99Ms, isBehind } = openFigures(run);
      say(side, `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${isBehind ? ', behind' : ''}`);
    }
    rates.push({ perSecond, runs });
  }
  return rates;
}

/** All peers at once: nothing is timed, and each has a process, a database and clients of its own. */
async function killAll(peers: readonly Peer[], servers: Servers, kills: number): Promise<Result['guarantees']> {
  if (kills === 0) return {};
  console.log(`${kills} kills of each side's process:`);
  const told = Math.max(1, Math.floor(kills / 5));
  const all = await Promise.all(
    peers.map((peer) =>
      killOften(peer, servers.target.url, kills, (number) => {
        if (number % told === 0) console.log(`  ${peer.name}: ${number}`);
      }),
    ),
  );
  return Object.assign({}, ...all) as Result['guarantees'];
}

/** Each call reached the target exactly once; otherwise the figures would be wrong. */
async function checkCount(servers: Servers, expected: number): Promise<void> {
  const { body } = await callJson(new URL('/count', servers.target.url).href);
  const { count } = body as { count: number };
  if (count !== expected) throw new Error(`${expected} calls were made, and the target saw ${count}`);
}

function say(side: Side, text: string): void {
  console.log(`  ${side.name.padEnd(16)} ${text}`);
}
