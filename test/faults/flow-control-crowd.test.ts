import { expect, test } from 'vitest';
import { keySchema } from '../../api/flow-control/schemas.ts';
import { measureCalls } from '../../bench/latencies.ts';
import { claimMessages } from '../../db/messages/claims.ts';
import { PARALLELISM_MAX } from '../../domain/flow-control/flow-control.ts';
import { dataOf } from '../api/invocations/support.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { CrowdStage, expectBoundedGrowth, expectNoSlower, inMebibytes, report } from './crowd.ts';
import { inForm } from './form.ts';

/**
 * A crowd that waits on one key costs rows and no workflow, slows no claim and no other key. `npm run test:faults` prints the figures of
 * docs/flow-control.md and holds them to a bound.
 */

const CROWD = inForm({ short: 300, full: 100_000 });
const SMALL = inForm({ short: 10, full: 100 });
/** How many of the crowd are delivered, one at a time, while it is measured. */
const DRAINED = inForm({ short: 20, full: 300 });
const PROBES = inForm({ short: 3, full: 50 });
const CLAIMS = inForm({ short: 20, full: 500 });
/** How many of the crowd are then delivered as fast as they go. */
const FAST = inForm({ short: 100, full: 5_000 });
const TIMEOUT_MS = inForm({ short: 4 * PATIENCE_MS, full: 3_600_000 });

const stage = await CrowdStage.start();
const api = await stage.callerOf(stage.processes.database.tenant);

/** A paused key with so many waiting messages, `name 1` to `name count`. Returns its id. */
async function crowd(name: string, count: number): Promise<string> {
  const made = await api.post('/api/v2/flow-control', { key: name, parallelism: 1 });
  const { id } = dataOf(made, keySchema);
  expect((await api.post(`/api/v2/flow-control/${id}/pause`, {})).status).toBe(200);
  await stage.publishCrowd(api, name, count, { flowControl: { key: name } });
  expect(await keyOf(id)).toMatchObject({ waiting: count, inFlight: 0 });
  return id;
}

const keyOf = async (id: string) => dataOf(await api.get(`/api/v2/flow-control/${id}`), keySchema);

/** From the publish of one message on a key of its own to its arrival. */
const probe = (): Promise<void> => stage.probe(api, { flowControl: { key: 'other' } });
const openWorkflows = (): Promise<number> => stage.openWorkflows();

/** Resumes a key until so many of its messages have arrived, and returns the times between them. */
async function drain(name: string, keyId: string, count: number): Promise<number[]> {
  const { receiver } = stage;
  expect((await api.post(`/api/v2/flow-control/${keyId}/resume`, {})).status).toBe(200);
  await expect.poll(() => receiver.arrivals.has(`${name} ${count}`), { timeout: TIMEOUT_MS / 2 }).toBe(true);
  expect((await api.post(`/api/v2/flow-control/${keyId}/pause`, {})).status).toBe(200);
  const bodies = Array.from({ length: count }, (_, n) => `${name} ${n + 1}`);
  expect(receiver.of(name).slice(0, count), 'the order').toEqual(bodies);
  return receiver.gapsOf(bodies);
}

/** Lets so many more of a key through at the highest parallelism, and returns how many arrived in a second. */
async function deliverFast(name: string, keyId: string, count: number): Promise<string> {
  const { receiver } = stage;
  const arrived = (): number => receiver.of(name).length;
  const before = arrived();
  expect((await api.post(`/api/v2/flow-control/${keyId}/pin`, { parallelism: PARALLELISM_MAX })).status).toBe(200);
  const startedAt = performance.now();
  expect((await api.post(`/api/v2/flow-control/${keyId}/resume`, {})).status).toBe(200);
  await expect.poll(() => arrived() - before, { timeout: TIMEOUT_MS / 2 }).toBeGreaterThanOrEqual(count);
  const seconds = (performance.now() - startedAt) / 1_000;
  const rate = ((arrived() - before) / seconds).toFixed(0);
  expect((await api.post(`/api/v2/flow-control/${keyId}/pause`, {})).status).toBe(200);
  return rate;
}

const perSecond = (gaps: number[]): string =>
  ((1_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0)).toFixed(0);

test(`${CROWD} messages wait on one key: rows and no workflow`, { timeout: TIMEOUT_MS }, async () => {
  await measureCalls(probe, 5); // the first ones warm the processes up
  const alone = await measureCalls(probe, PROBES);
  const smallId = await crowd('small', SMALL);
  const smallGaps = await drain('small', smallId, SMALL);
  const before = stage.residentBytes();

  const startedAt = performance.now();
  const crowdId = await crowd('crowd', CROWD);
  const publishedMs = performance.now() - startedAt;
  await expect.poll(openWorkflows, { timeout: PATIENCE_MS }).toBe(0);
  const after = stage.residentBytes();
  const beside = await measureCalls(probe, PROBES);
  const { db, tenant } = stage.processes.database;
  const claim = { most: 50, share: 20, claim: 'measured', worker: 'measured', leaseMs: 10_000, afterLane: '' };
  const looks = await measureCalls(async () => {
    const { works } = await db.withEnvironment(tenant, (tx) => claimMessages(tx, claim));
    expect(works).toEqual([]);
  }, CLAIMS);
  const draining = drain('crowd', crowdId, DRAINED);
  const [during, gaps, mostOpen] = await Promise.all([
    measureCalls(probe, PROBES),
    draining,
    stage.mostOpenUntil(draining),
  ]);
  expect(mostOpen).toBe(0);
  const fastPerSecond = await deliverFast('crowd', crowdId, FAST);
  const settled = async (): Promise<{ known: number; inFlight: number }> => {
    const { waiting, inFlight } = await keyOf(crowdId);
    return { known: waiting + stage.receiver.of('crowd').length, inFlight };
  };
  await expect.poll(settled, { timeout: PATIENCE_MS }).toEqual({ known: CROWD, inFlight: 0 });

  const figures: Record<string, number[]> = {
    'another key, nobody waits': alone,
    'another key, the crowd waits': beside,
    'another key, the crowd is delivered': during,
    [`from one delivery to the next, ${SMALL} wait`]: smallGaps,
    [`from one delivery to the next, ${CROWD} wait`]: gaps,
    'a claim that finds the key paused': looks,
  };
  report(figures, [
    `no workflow is open, neither while the crowd waits nor while it is delivered`,
    `messages a second on one key: ${perSecond(gaps)} one by one, ${fastPerSecond} as fast as they go`,
    `published in ${(publishedMs / 1_000).toFixed(1)} s; resident MiB before: ${inMebibytes(before)}; after: ${inMebibytes(after)}`,
    `lane_queue: ${await stage.mebibytesOf('lane_queue')} MiB with its indexes`,
  ]);
  expectBoundedGrowth(before, after);
  const bounds = (): void => {
    expectNoSlower(beside, alone);
    expectNoSlower(during, alone);
    expectNoSlower(gaps, smallGaps);
  };
  inForm({ short: () => undefined, full: bounds })();
});
