import { expect, test } from 'vitest';
import { measureCalls } from '../../bench/latencies.ts';
import { findDueLanes } from '../../db/messages/directory.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { CrowdStage, expectBoundedGrowth, expectNoSlower, inMebibytes, report } from './crowd.ts';
import { inForm } from './form.ts';

/**
 * A crowd without a flow-control key, of a workspace that may have one delivery in flight, costs rows and no workflow, slows no claim and
 * no other workspace. `npm run test:faults` has 100,000 of them wait, prints the figures and holds them to a bound.
 */

const CROWD = inForm({ short: 300, full: 100_000 });
const SMALL = inForm({ short: 20, full: 100 });
/** How many of the crowd are delivered, one at a time, while it is measured. */
const DRAINED = inForm({ short: 20, full: 300 });
const PROBES = inForm({ short: 3, full: 50 });
const LOOKS = inForm({ short: 10, full: 100 });
const TIMEOUT_MS = inForm({ short: 4 * PATIENCE_MS, full: 3_600_000 });

const stage = await CrowdStage.start({ WORKSPACE_DELIVERIES_MAX: '1' });
const { database } = stage.processes;
const crowded = await stage.callerOf(database.tenant);
const beside = await stage.callerOf((await database.anotherWorkspace()).development);

/** The receiver answers the crowd while it is open: so many, and then it is shut. */
class Gate {
  private left = 0;
  private open: () => void = () => undefined;
  private opened: Promise<void> = new Promise((resolve) => (this.open = resolve));

  letThrough(count: number): void {
    this.left = count;
    this.open();
    this.opened = new Promise((resolve) => (this.open = resolve));
  }

  async pass(): Promise<void> {
    while (this.left === 0) await this.opened;
    this.left--;
  }
}
const gate = new Gate();

/** From the publish of one message of the other workspace to its arrival. */
const probe = (): Promise<void> => stage.probe(beside, {});
const openWorkflows = (): Promise<number> => stage.openWorkflows();

async function waiting(): Promise<number> {
  const [row] = await stage.processes.database.asOwner<{ n: number }>(
    `SELECT count(*)::int AS n FROM lane_queue WHERE state = 'ready'`,
  );
  return row?.n ?? -1;
}

/** Publishes a crowd of which one hangs at the gate and the others wait until it ends. */
async function crowd(name: string, count: number): Promise<void> {
  await stage.publishCrowd(crowded, name, count, { timeoutSeconds: 300 });
  await expect.poll(waiting, { timeout: TIMEOUT_MS / 4 }).toBe(count - 1);
}

/** Lets so many of them through, until so many have arrived, and returns the times between them, after the one that hung. */
async function drain(name: string, { through, arrived }: { through: number; arrived: number }): Promise<number[]> {
  const { receiver } = stage;
  gate.letThrough(through);
  await expect.poll(() => receiver.of(name).length, { timeout: TIMEOUT_MS / 2 }).toBe(arrived);
  return receiver.gapsOf(receiver.of(name).slice(1));
}

test(`${CROWD} messages wait for their workspace's share: rows and no workflow`, { timeout: TIMEOUT_MS }, async () => {
  stage.receiver.answers = (body) => (body.startsWith('probe ') ? undefined : gate.pass());
  await measureCalls(probe, 5); // the first ones warm the processes up
  const alone = await measureCalls(probe, PROBES);
  await crowd('small', SMALL);
  const smallGaps = await drain('small', { through: SMALL, arrived: SMALL });
  const before = stage.residentBytes();

  const startedAt = performance.now();
  await crowd('crowd', CROWD);
  const publishedMs = performance.now() - startedAt;
  expect(await openWorkflows()).toBe(0);
  const after = stage.residentBytes();
  const whileWaiting = await measureCalls(probe, PROBES);
  const { db } = stage.processes.database;
  const looks = await measureCalls(async () => {
    expect(await findDueLanes(db, { afterId: '', limit: 1_000 })).toHaveLength(1);
  }, LOOKS);
  const draining = drain('crowd', { through: DRAINED, arrived: DRAINED + 1 });
  const [during, gaps, mostOpen] = await Promise.all([
    measureCalls(probe, PROBES),
    draining,
    stage.mostOpenUntil(draining),
  ]);
  expect(mostOpen).toBe(0);
  // Each one waits, was delivered, or hangs at the gate: none is lost.
  await expect.poll(waiting, { timeout: PATIENCE_MS }).toBe(CROWD - DRAINED - 1);

  const figures: Record<string, number[]> = {
    'another workspace, nobody waits': alone,
    'another workspace, the crowd waits': whileWaiting,
    'another workspace, the crowd is delivered': during,
    [`from one delivery to the next, ${SMALL} wait`]: smallGaps,
    [`from one delivery to the next, ${CROWD} wait`]: gaps,
    'a look at all lanes': looks,
  };
  report(figures, [
    `published and queued in ${(publishedMs / 1_000).toFixed(1)} s; resident MiB before: ${inMebibytes(before)}; after: ${inMebibytes(after)}`,
    `lane_queue: ${await stage.mebibytesOf('lane_queue')} MiB with its indexes`,
  ]);
  expectBoundedGrowth(before, after);
  const bounds = (): void => {
    expectNoSlower(whileWaiting, alone);
    expectNoSlower(during, alone);
    expectNoSlower(gaps, smallGaps);
  };
  inForm({ short: () => undefined, full: bounds })();
});
