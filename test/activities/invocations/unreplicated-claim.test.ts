import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Client } from 'pg';
import { createAdapters } from '../../../activities/adapters/index.ts';
import { Database } from '../../../db/client.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { startTarget } from '../../harness/target.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import { ActivityWorld, type TestActivities } from './world.ts';

/** A commit for which PostgreSQL stops waiting for its synchronous standby: it is answered as a success, with a warning. */

const [world, target] = await Promise.all([ActivityWorld.start(), startTarget()]);
const { tenant } = world.database;
const owner = new Client({ connectionString: inject('stack').postgresOwnerUrl });
await owner.connect();
closesWithFile(() => owner.end());

/**
 * Waits for standbys: the sessions of the other tests do not, because the test server has `synchronous_commit = off`. The login hides
 * warnings, as one may be set to.
 */
const url = new URL(world.database.applicationUrl);
url.searchParams.set('options', '-c synchronous_commit=on -c client_min_messages=error');
const db = new Database({ url: url.href, applicationName: 'synchronous', poolMax: 2 });
closesWithFile(() => db.close());

interface Wait {
  pid: number;
  began: string;
}

async function waiting(): Promise<Wait[]> {
  const { rows } = await owner.query<Wait>(
    `SELECT pid, query_start::text AS began FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'SyncRep'`,
    [new URL(world.database.applicationUrl).pathname.slice(1)],
  );
  return rows;
}

/** Cancels each wait for a standby, once, until the work is over. */
async function cancellingWaits<T>(work: Promise<T>): Promise<{ answer: T; waits: number }> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const cancelled = new Set<string>();
  while (!over.signal.aborted) {
    for (const { pid, began } of await waiting()) {
      if (cancelled.has(began)) continue;
      cancelled.add(began);
      await owner.query('SELECT pg_cancel_backend($1)', [pid]);
    }
  }
  return { answer: await ended, waits: cancelled.size };
}

async function nameStandby(name: string): Promise<void> {
  await owner.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await owner.query('SELECT pg_reload_conf()');
}

/** Commits until a commit waits: the server knows of the standby some time after it was told. */
async function untilNamed(): Promise<void> {
  const commit = () => db.withEnvironment(tenant, (tx) => tx.raw(null, 'INSERT INTO probe VALUES (1)'));
  while ((await cancellingWaits(commit())).waits === 0);
}

beforeAll(async () => {
  await world.database.asOwner('CREATE TABLE probe (n integer); GRANT ALL ON probe TO PUBLIC');
  await nameStandby('nobody');
  await untilNamed();
});
afterAll(() => nameStandby(''));

describe('a transaction tells of a commit that no standby has confirmed', () => {
  const told = async (work: Parameters<Database['withEnvironment']>[1], one = false): Promise<number> => {
    let times = 0;
    const options = { onUnreplicated: () => void (times += 1) };
    await (one ? db.oneStatement(tenant, work, options) : db.withEnvironment(tenant, work, options));
    return times;
  };
  const insert = 'INSERT INTO probe VALUES (2)';

  test.each([
    ['by itself', false, (tx) => tx.raw(null, insert)],
    ['with the last statement', false, (tx) => tx.last(() => tx.raw(null, insert))],
    ['of one statement', true, (tx) => tx.raw(null, insert)],
  ] satisfies [string, boolean, Parameters<typeof told>[0]][])('that is sent %s', async (_, one, work) => {
    expect(await cancellingWaits(told(work, one))).toEqual({ answer: 1, waits: 1 });
  });

  test('and of no other: one that writes nothing, and a warning of a statement', async () => {
    expect(await told((tx) => tx.raw(null, 'SELECT 1'))).toBe(0);
    const warn = (tx: Parameters<Parameters<typeof told>[0]>[0]) =>
      tx.raw(null, `DO $$ BEGIN RAISE WARNING 'warned'; END $$`);
    expect(await told(warn)).toBe(0);
    expect(await told((tx) => tx.last(() => warn(tx)))).toBe(0);
    expect(await told(warn, true)).toBe(0);
  });
});

const DISPATCHED = { seen: 'settled' };
test.each([
  ['in its own transaction', (ref, { dispatchEffect }) => dispatchEffect({ ...ref, settles: true }), DISPATCHED],
  [
    'with the judgement',
    (ref, { advanceInvocation }) => advanceInvocation(ref),
    { next: 'sent', dispatched: DISPATCHED },
  ],
] satisfies [string, (ref: InvocationRef, by: TestActivities) => Promise<unknown>, object][])(
  'a claim %s that no standby has confirmed sends nothing: failed, and no part of it took effect',
  async (_, dispatch, says) => {
    const admission = { config: { url: `${target.baseUrl}/unreplicated` } };
    const ref = 'next' in says ? await world.admit(admission) : await world.ready(admission);
    const adapterFor = createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) });
    // Two commits wait: the claim and its end. A standby that comes back would confirm both.
    const { answer, waits } = await cancellingWaits<unknown>(dispatch(ref, world.activities({ db, adapterFor })));
    expect(answer).toMatchObject(says);
    expect(waits).toBe(2);
    expect(await target.requests('/unreplicated')).toEqual([]);
    expect(await world.recorded(ref)).toMatchObject({
      invocation: { status: 'failed', grade: 'failed' },
      attempts: [{ status: 'completed', claimed: true, observed_outcome: 'not_dispatched' }],
      evidence: [{ summary: expect.stringContaining('synchronous standby') as string }],
    });
  },
);
