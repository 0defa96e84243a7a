import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { createAction, invocationIn } from '../api/invocations/support.ts';
import { PATIENCE_MS } from '../harness/patience.ts';
import { startTarget } from '../harness/target.ts';
import { inForm } from './form.ts';
import { ReplicatedServers } from './replicated-servers.ts';

/**
 * The database fails over, with and without losing commits, and is restored to a point in time. The target counts what it was sent: it is the
 * truth. The three follow each other on one installation, each with the server that the one before has left.
 */

const ANSWERED = inForm({ short: 20, full: 300 });
const HELD = inForm({ short: 3, full: 20 });
const CALLERS = 4;
/** Synchronous: from the death of the primary to the next invocation that is carried out. */
const READY_WITHIN_MS = 30_000;

const [servers, target] = await Promise.all([ReplicatedServers.start(), startTarget()]);
let action = '';

const sent = async (run: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { url } of await target.requests('/ok')) {
    const [, of, n = ''] = /run=(\w+)&n=(\w+)/.exec(url) ?? [];
    if (of === run) counts[n] = (counts[n] ?? 0) + 1;
  }
  return counts;
};
const sentTwice = async (): Promise<string[]> =>
  (await Promise.all(['sync', 'async', 'restore'].map(sent))).flatMap((counts) =>
    Object.entries(counts).flatMap(([n, count]) => (count > 1 ? [n] : [])),
  );

const body = (run: string, n: string) => ({ operationKey: `${run}-${n}`, input: { run, n } });
const invokeOnce = async (run: string, n: string) => {
  if (servers.api === null) throw new Error('no API runs');
  return servers.api.post(`/api/v2/actions/${action}/invoke`, body(run, n), { 'Idempotency-Key': `${run}-${n}` });
};

/** A caller asks again until it is answered. Returns the id. */
async function invokePatiently(run: string, n: string): Promise<string> {
  for (const untilMs = Date.now() + PATIENCE_MS; ;) {
    const reply = await invokeOnce(run, n).catch(() => null);
    if (reply !== null && reply.status < 300) return invocationIn(reply).id;
    if (Date.now() > untilMs) throw new Error(`no answer: ${reply?.status} ${reply?.text}`);
    await delay(100);
  }
}

interface Row {
  key: string;
  status: string;
  code: string | null;
}
const recorded = (run: string): Promise<Row[]> =>
  servers.rows<Row>(
    `SELECT operation_key AS key, status, refusal_code AS code FROM invocations WHERE operation_key LIKE '${run}-%' ORDER BY operation_key`,
  );
const recoveries = async (): Promise<string[]> =>
  (await servers.rows<{ recovery: string }>('SELECT recovery FROM database_epochs ORDER BY id')).map(
    ({ recovery }) => recovery,
  );

const QUEUED = `SELECT count(*)::int AS n FROM invocations WHERE status = 'queued' AND operation_key LIKE`;

/**
 * Admitted, and on record, and judged by nobody: the worker stands still. They are sent after `hold`, which returns whether it met all of
 * them: an admission that no worker takes up is withdrawn, and made again, after some seconds.
 */
async function heldInQueue(run: string, hold: () => Promise<boolean>): Promise<string[]> {
  const names = Array.from({ length: HELD }, (_, at) => `held${at}`);
  servers.worker?.process.kill('SIGSTOP');
  const replies = names.map((n) => invokePatiently(run, n));
  await vi.waitFor(
    async () => {
      expect(await servers.rows(`${QUEUED} '${run}-%'`)).toEqual([{ n: HELD }]);
      expect(await hold(), 'all of them are held').toBe(true);
    },
    { timeout: PATIENCE_MS, interval: 20 },
  );
  servers.worker?.process.kill('SIGCONT');
  await Promise.all(replies);
  expect(Object.keys(await sent(run))).toEqual(expect.arrayContaining(names));
  return names;
}

/** What was under way at the lost time comes to rest, as unknown. */
async function expectUnknown(run: string, names: readonly string[]): Promise<void> {
  await servers.sweep();
  const wanted = names.map((n) => ({ key: `${run}-${n}`, status: 'unknown', code: 'database_recovered' }));
  await vi.waitFor(async () => expect(await recorded(run)).toEqual(expect.arrayContaining(wanted)), {
    timeout: PATIENCE_MS,
    interval: 200,
  });
}

describe('a failover', () => {
  test('to a synchronous standby loses nothing that was acknowledged, and is a note', async () => {
    await servers.waitFor(['s1', 's2']);
    const api = await servers.startProcesses({ REQUIRE_SYNC_STANDBY: '1' });
    action = await createAction(api, { url: `${target.baseUrl}/ok?run={{input.run}}&n={{input.n}}` });
    const ids: string[] = [];
    const over = new AbortController();
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; !over.signal.aborted; n++) ids.push(await invokePatiently('sync', `${caller}x${n}`));
    });
    await vi.waitFor(() => expect(ids.length).toBeGreaterThan(ANSWERED), { timeout: PATIENCE_MS, interval: 5 });
    const diedAtMs = Date.now();
    await servers.failOver();
    const acknowledged = ids.length;
    await invokePatiently('sync', 'after');
    const tookMs = Date.now() - diedAtMs;
    await vi.waitFor(() => expect(ids.length).toBeGreaterThan(acknowledged), { timeout: PATIENCE_MS });
    over.abort();
    await Promise.all(callers);
    console.log(`ready ${tookMs} ms after the death of the primary; ${ids.length} answered`);
    expect(tookMs).toBeLessThan(READY_WITHIN_MS);
    const kept = await servers.rows<{ id: string }>('SELECT id FROM invocations');
    expect(ids.filter((id) => !kept.some((row) => row.id === id))).toEqual([]);
    expect((await recorded('sync')).filter(({ code }) => code === 'database_recovered')).toEqual([]);
    expect(await recoveries()).toEqual(['none', 'note']);
    expect(await sentTwice()).toEqual([]);
    await servers.stopProcesses();
  });

  test('to an asynchronous standby that lacks claims sends none of them again: they are unknown', async () => {
    await servers.waitFor([]);
    await servers.startProcesses();
    const before = (await recoveries()).length;
    const other = servers.primary === servers.standbys.s1 ? 's2' : 's1';
    const names = await heldInQueue('async', async () => {
      const [{ lsn } = { lsn: '' }] = await servers.rows<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
      const has = `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS has`;
      const [replayed] = await servers.rows<{ has: boolean }>(has, servers.standbys[other]);
      if (replayed?.has !== true) return false;
      servers.replication.block();
      const [queued] = await servers.rows<{ n: number }>(`${QUEUED} 'async-%'`, servers.standbys[other]);
      if (queued?.n === HELD) return true;
      servers.replication.leadTo(servers.primary.port);
      return false;
    });
    await invokePatiently('async', 'lost');
    await servers.failOver(other);
    await vi.waitFor(async () => expect(await recoveries()).toHaveLength(before + 1), PATIENCE_MS);
    expect((await recoveries()).at(-1)).toBe('open');
    await invokePatiently('async', 'after');
    await expectUnknown('async', names);
    // Its admission is lost. Nothing of it is on record, and its workflow has ended.
    expect((await recorded('async')).map(({ key }) => key)).not.toContain('async-lost');
    expect(await sentTwice()).toEqual([]);
    expect(await servers.rows('SELECT unknown, held FROM count_recovered_work(100)')).toEqual([
      { unknown: HELD, held: 0 },
    ]);
  });
});

describe('a backup', () => {
  test('that is restored to a point in the middle of a run sends nothing again', async () => {
    const backup = await servers.backUp();
    const point = `SELECT pg_create_restore_point('middle') FROM (${QUEUED} 'restore-%') queued WHERE n = ${HELD}`;
    const names = await heldInQueue('restore', async () => (await servers.rows(point)).length === 1);
    await Promise.all(['a', 'b', 'c'].map((n) => invokePatiently('restore', n)));
    await servers.stopProcesses();
    await servers.restore(backup, 'middle');
    expect((await recorded('restore')).filter(({ status }) => status === 'queued')).toHaveLength(HELD);
    const before = await recoveries();
    await servers.startProcesses();
    expect(await recoveries()).toEqual([...before, 'open']);
    await expectUnknown('restore', names);
    await invokePatiently('restore', 'after');
    expect((await recorded('restore')).map(({ key }) => key)).not.toContain('restore-a');
    expect(await sentTwice()).toEqual([]);
    expect(await sent('restore')).toMatchObject({ a: 1, b: 1, c: 1, after: 1 });
  });
});
