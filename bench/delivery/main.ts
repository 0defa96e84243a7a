import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { logTail, startService } from '../invoke/service.ts';
import { currentCommit, thisMachine } from '../machine.ts';
import { writeResult } from '../results.ts';
import { installLibraries, libraryVersions } from './libraries.ts';
import { type DeliveryOptions, readOptions } from './options.ts';
import { startGraphileSide, startPgBossSide } from './queue-sides.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { render, type Result } from './report.ts';
import { runBatches, runLevel, type Stage } from './rounds.ts';
import type { Side } from './side.ts';
import { startBareSide, startServiceSide } from './temporal-sides.ts';

/** `npm run bench:delivery [-- --write]`. See docs/performance.md. */

const stops: (() => Promise<void>)[] = [];
const options = readOptions(process.argv.slice(2));
const dataDir = mkdtempSync(path.join(tmpdir(), 'bench-delivery-'));
try {
  const result = await measure(options);
  const text = render(result);
  console.log(`\n${text}`);
  if (options.write) writeResult('delivery', result.takenAt, text, result);
} catch (error) {
  console.error(`The end of the service's log:\n${logTail(dataDir)}`);
  throw error;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure({ levels, batch, nodeFlags }: DeliveryOptions): Promise<Result> {
  const machine = thisMachine();
  installLibraries();
  const { sides, receiver, temporal } = await startSides(nodeFlags);
  const onRound: Stage['onRound'] = (side, said) => console.log(`  ${side.padEnd(15)} ${said}`);
  const published = { service: 0, bare: 0, 'pg-boss': 0, 'graphile-worker': 0 };
  const stage: Stage = { sides, receiver, published, onRound };
  const measured: Result['levels'] = [];
  for (const level of levels) {
    console.log(`${level.outstanding} outstanding:`);
    measured.push({ level, rounds: await runLevel(stage, level) });
  }
  if (batch.rounds > 0) console.log(`${batch.rounds} batches of ${batch.messages}:`);
  const batches = await runBatches(stage, batch.messages, batch.rounds);
  await checkAttempts(stage);
  return {
    takenAt: new Date().toISOString(),
    commit: currentCommit(),
    machine,
    versions: [...libraryVersions(), `Temporal server ${temporal}`],
    levels: measured,
    batches: { messages: batch.messages, rounds: batches },
  };
}

async function startSides(nodeFlags: string[]): Promise<{ sides: Side[]; receiver: Receiver; temporal: string }> {
  const service = await startService(dataDir, nodeFlags);
  stops.push(() => service.stop());
  const { signingSecret: secret, temporalAddress, databaseOwnerUrl } = service.credentials;
  if (databaseOwnerUrl === null) throw new Error('the embedded database has an owner');
  const receiver = await startReceiver(secret);
  stops.push(() => receiver.stop());
  const connection = await Connection.connect({ address: temporalAddress });
  stops.push(() => connection.close());
  const receiving = { receiverUrl: receiver.url, secret };
  const sides: Side[] = [];
  for (const start of [
    () => startServiceSide(service, receiver.url),
    () => startBareSide(connection, { address: temporalAddress, ...receiving }),
    () => startPgBossSide(databaseOwnerUrl, receiving),
    () => startGraphileSide(databaseOwnerUrl, receiving),
  ]) {
    const side = await start();
    sides.push(side);
    stops.push(() => side.stop());
  }
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return { sides, receiver, temporal: serverVersion };
}

/** Each message is on record as attempted once; otherwise the results would be wrong. */
async function checkAttempts({ sides, published }: Stage): Promise<void> {
  for (const side of sides) {
    const found = await side.countAttempts();
    if (found !== null && found !== published[side.name]) {
      throw new Error(`${side.name} was given ${published[side.name]} messages, and has ${found} attempts on record`);
    }
  }
}
