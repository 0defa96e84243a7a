import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startModule } from '../invoke/child.ts';
import { startService, type RunningService } from '../invoke/service.ts';
import { prepareGoverned } from '../invoke/sides.ts';
import { describeRun, type Machine, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { isolatesOf, type Isolate } from './isolates.ts';
import { processesUnder, residentOf, type Resident } from './resident.ts';

/**
 * `npm run bench:memory [-- --calls=10000 --concurrency=32 --rest-seconds=60 --write]`: the memory at rest after a load, and what
 * it is made of. See docs/performance.md.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '32' },
    'rest-seconds': { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
});
const [calls, concurrency, restMs] = [
  Number(values.calls),
  Number(values.concurrency),
  Number(values['rest-seconds']) * 1000,
];
/** API and worker together, which `npm start` runs in one process. */
const REST_MB_MAX = 250;
const FIRST_REST_MS = 10_000;
const PROGRESS_INTERVAL_MS = 30_000;
const REPORT_FILE = 'report.json';
const REPORT_WAIT_MS = 30_000;

interface Sample {
  when: string;
  resident: Resident;
}

const stops: (() => Promise<void>)[] = [];
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-memory-'));
try {
  const takenAt = new Date().toISOString();
  const text = await measure(takenAt);
  process.stdout.write(`\n${text}`);
  if (values.write) writeResult('memory', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(takenAt: string): Promise<string> {
  const machine = thisMachine();
  // The service's process writes its report where it is signalled to: the heap of each of its isolates.
  const service = await startService(dataDir, [], {
    NODE_OPTIONS: `--report-on-signal --report-directory=${dataDir} --report-filename=${REPORT_FILE}`,
  });
  stops.push(() => service.stop());
  const target = await startModule('../invoke/target.js', []);
  stops.push(() => target.child.stop());
  const call = await prepareGoverned(service.credentials, `http://127.0.0.1:${target.ready.port}/orders`, {
    idempotencyKey: true,
    secret: true,
  });
  await delay(FIRST_REST_MS);
  const samples: Sample[] = [{ when: 'after the start', resident: residentOf(service.pid) }];
  const { failed, seconds } = await loadWith(call);
  samples.push({ when: 'with the last reply', resident: residentOf(service.pid) });
  await delay(FIRST_REST_MS);
  samples.push({ when: `${FIRST_REST_MS / 1000} s later`, resident: residentOf(service.pid) });
  await delay(Math.max(restMs - FIRST_REST_MS, 0));
  samples.push({ when: `${restMs / 1000} s later: at rest`, resident: residentOf(service.pid) });
  return render({ takenAt, machine, failed, seconds, samples, service, isolates: await reportOf(service) });
}

/** Memory is what is measured here: on a crowded machine some calls may fail, and are told of. */
async function loadWith(call: () => Promise<void>): Promise<{ failed: number; seconds: number }> {
  let [started, failed] = [0, 0];
  const startedAt = performance.now();
  const progress = setInterval(() => process.stdout.write(`${started} of ${calls}\n`), PROGRESS_INTERVAL_MS);
  const caller = async (): Promise<void> => {
    while (started < calls) {
      started += 1;
      try {
        await call();
      } catch (error) {
        failed += 1;
        if (failed === 1) process.stdout.write(`a call failed: ${String(error)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  clearInterval(progress);
  return { failed, seconds: (performance.now() - startedAt) / 1000 };
}

async function reportOf(service: RunningService): Promise<Isolate[]> {
  const file = path.join(dataDir, REPORT_FILE);
  process.kill(service.pid, 'SIGUSR2');
  const until = performance.now() + REPORT_WAIT_MS;
  while (performance.now() < until) {
    if (existsSync(file)) {
      const isolates = isolatesOf(readFileSync(file, 'utf8'));
      if (isolates !== null) return isolates;
    }
    await delay(100);
  }
  throw new Error('the service wrote no report of its heaps');
}

function render(measured: {
  takenAt: string;
  machine: Machine;
  failed: number;
  seconds: number;
  samples: readonly Sample[];
  service: RunningService;
  isolates: readonly Isolate[];
}): string {
  const { samples, isolates, service } = measured;
  const atRest = samples.at(-1)?.resident;
  const mb = (value: number): string => value.toFixed(0);
  return [
    '# Memory at rest after a load',
    '',
    describeRun(measured),
    `${calls} invocations, ${concurrency} at once, in ${measured.seconds.toFixed(0)} s; ${measured.failed} of them did not succeed.`,
    '',
    '## API and worker: the one process of `npm start`',
    '',
    '| | resident, MB | files | malloc | other anonymous |',
    '|---|---|---|---|---|',
    ...samples.map(
      ({ when, resident: { total, files, malloc, anonymous } }) =>
        `| ${when} | ${mb(total)} | ${mb(files)} | ${mb(malloc)} | ${mb(anonymous)} |`,
    ),
    '',
    `At most ${REST_MB_MAX} MB at rest: ${(atRest?.total ?? Infinity) <= REST_MB_MAX ? 'met' : '**missed**'}.`,
    '',
    '## Its heaps at rest (part of "other anonymous")',
    '',
    '| isolate | committed, MB | used | young | old | code | large |',
    '|---|---|---|---|---|---|---|',
    ...isolates.map(
      ({ name, committed, used, spaces }) =>
        `| ${name} | ${mb(committed)} | ${mb(used)} | ${mb(spaces.young)} | ${mb(spaces.old)} | ${mb(spaces.code)} | ${mb(spaces.large)} |`,
    ),
    '',
    '## The processes beside it (not part of the aim)',
    '',
    '| program | processes | proportional, MB |',
    '|---|---|---|',
    ...processesUnder(service.pid).map(
      ({ name, count, proportional }) => `| ${name} | ${count} | ${mb(proportional)} |`,
    ),
    '',
  ].join('\n');
}
