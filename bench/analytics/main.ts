import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startModule } from '../invoke/child.ts';
import { startService, type RunningService } from '../invoke/service.ts';
import { prepareGoverned } from '../invoke/sides.ts';
import { describeRun, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { measureAdmissions } from './admissions.ts';
import { fill } from './fill.ts';
import { measureOperations } from './operations.ts';

/**
 * `npm run bench:analytics [-- --rounds=9 --round-seconds=20 --records=1000000 --calls=200 --write]`: what the facts cost an admission, and how long each
 * operation of analytics takes over many records while invocations run beside it. See docs/performance.md.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    'round-seconds': { type: 'string', default: '20' },
    records: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
  },
});

const stops: (() => Promise<void>)[] = [];
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-analytics-'));
try {
  const takenAt = new Date().toISOString();
  const text = await measure(takenAt);
  process.stdout.write(`\n${text}`);
  if (values.write) writeResult('analytics', takenAt, text);
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(takenAt: string): Promise<string> {
  const machine = thisMachine();
  const service = await startService(dataDir, []);
  stops.push(() => service.stop());
  const target = await startModule('../invoke/target.js', []);
  stops.push(() => target.child.stop());
  const owner = await connectOwner(service);
  const url = `http://127.0.0.1:${target.ready.port}/orders`;
  const invoke = await prepareGoverned(service.credentials, url, { idempotencyKey: true, secret: true });
  const [rounds, roundMs] = [Number(values.rounds), Number(values['round-seconds']) * 1000];
  const admissions = rounds === 0 ? [] : await measureAdmissions(owner, invoke, { rounds, roundMs });
  const records = Number(values.records);
  const environment = service.credentials.environments.find(({ kind }) => kind === 'development');
  if (environment === undefined) throw new Error('there is no development environment');
  const filled = await fill(owner, environment.id, records);
  const operations = await measureOperations(service.credentials, invoke, Number(values.calls));
  return [
    '# Analytics: the cost of facts, and the time of each operation',
    '',
    describeRun({ takenAt, machine }),
    '',
    ...admissions,
    `## Operations over ${records} invocations and ${records} messages of 90 days (filled in ${filled.seconds.toFixed(0)} s: ${filled.rollups} rollups)`,
    '',
    ...operations,
    '',
  ].join('\n');
}

async function connectOwner(service: RunningService): Promise<Client> {
  const { databaseOwnerUrl } = service.credentials;
  if (databaseOwnerUrl === null) throw new Error('the embedded stack has no owner of its database');
  const owner = new Client({ connectionString: databaseOwnerUrl });
  await owner.connect();
  stops.push(() => owner.end());
  return owner;
}
