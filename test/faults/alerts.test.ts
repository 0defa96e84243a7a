import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Watchdog } from '../../activities/adapters/watchdog.ts';
import { freePorts } from '../../embedded/ports.ts';
import { openMetrics } from '../../process/metrics/process-metrics.ts';
import { ofWatchdog } from '../../process/metrics/sources.ts';
import type { CallResult } from '../api/harness/test-api.ts';
import { createAction, invocationIn } from '../api/invocations/support.ts';
import { type Phase, type Samples, samplesOf, unlikeAlerts, valueIn } from '../harness/firing-alerts.ts';
import { findPromtool } from '../harness/promtool.ts';
import { startTarget } from '../harness/target.ts';
import { CONNECTIONS_MAX, isPositive, isZero, WatchedStack } from './watched-stack.ts';

/**
 * Each alert of ops/prometheus/rules.yml fires from a fault that is made by hand, none fires beside those of the fault, and what its
 * runbook says to do ends it. Prometheus judges what API and worker show. Only time is not waited for: records are made older.
 */

const promtool = findPromtool();
if ('missing' in promtool) console.warn(`No alert is seen to fire: ${promtool.missing}`);
const FAILED_AT_ONCE = 51;
const UNKNOWN = 11;

const [[closedPort = 0], stack, target] = await Promise.all([freePorts(1), WatchedStack.start(), startTarget()]);
const { servers, api, owner, sweep } = stack;
/** With a second master key. A process that has begun with it cannot be started without it again. */
const rotated = { MASTER_KEYS: `2:${randomBytes(32).toString('base64')},${stack.masterKeys}` };
const sweptAt = ['sweep_finished_timestamp_seconds', 'area="workflow-starts"'] as const;

/** What Prometheus says where other alerts fire at the end of each time. */
const judged = (...phases: readonly Phase[]): string =>
  unlikeAlerts('program' in promtool ? promtool.program : '', phases);
const isShown = (value: number | null): boolean => value !== null;
/** The figures of the database are shown: where their reader has ended, another one takes over within some seconds. */
const withFigures = (): Promise<Samples> => stack.seen(isShown, 'unknown_effects');
/** The next fault grows from what is shown now. */
const soundNow = async (): Promise<Phase> => ({ seen: await withFigures(), firing: [] });

const publishToNobody = (count: number): Promise<CallResult> => {
  const message = { url: `http://127.0.0.1:${closedPort}/`, body: {}, maxRetries: 0 };
  return api.post('/api/v2/messages/batch', { messages: Array.from({ length: count }, () => message) });
};

/** The one that waited hangs too, once it is sent. */
async function untilNothingIsUnderWay(): Promise<void> {
  const open = `SELECT id FROM invocations WHERE status IN ('queued', 'dispatching')`;
  await expect.poll(() => target.release().then(async () => (await owner.query(open)).rows)).toEqual([]);
}

describe.skipIf('missing' in promtool)('an alert fires from its fault, and its runbook ends it', () => {
  test('none fires where all is well', async () => {
    expect((await publishToNobody(1)).status).toBeLessThan(300);
    await sweep.trigger();
    await stack.seen(isPositive, ...sweptAt);
    await stack.seen((value) => value === 1, 'messages_total', 'status="failed"');
    expect(judged(await soundNow())).toBe('');
  });

  test('those of work that stands still: the worker is gone', async () => {
    const sends = (answer: string) => ({ url: `${target.baseUrl}/orders?answer=${answer}`, body: { id: '1' } });
    const limit = { dimension: 'orders', cap: 20, period: 'lifetime', name: 'orders', scope: {} };
    expect((await api.post('/api/v2/impact-limits', limit)).status).toBe(201);
    const impact = [{ dimension: 'orders', amount: { const: 1 }, bound: 'exact' }];
    const verify = {
      request: { method: 'GET', url: `${target.baseUrl}/orders/never` },
      expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
    };
    const lost = await createAction(api, sends('reset'), { impact });
    const read = await createAction(api, sends('reset'), { verify });
    const slow = await createAction(api, sends('hang'), { timeoutMs: 10_000 });
    const before = await soundNow();
    for (const action of [...Array.from({ length: UNKNOWN }, () => lost), read]) {
      expect(invocationIn(await api.post(`/api/v2/actions/${action}/invoke`, { input: {} })).status).toBe('unknown');
    }
    expect((await publishToNobody(FAILED_AT_ONCE)).status).toBeLessThan(300);
    await stack.seen((value) => value === FAILED_AT_ONCE + 1, 'messages_total', 'status="failed"');
    // One holds the only place, and one waits for it.
    const held = [1, 2].map(() => api.post(`/api/v2/actions/${slow}/invoke`, { input: {} }));
    await expect
      .poll(async () => (await target.requests('/orders')).some(({ url }) => url.includes('hang')))
      .toBe(true);
    await expect.poll(async () => (await owner.query('SELECT FROM lane_places WHERE NOT is_taken')).rowCount).toBe(1);
    await servers.end('worker', 'SIGKILL');
    // Taken, because this API has not noticed yet. It would withdraw it after some seconds, and dies before.
    held.push(api.post(`/api/v2/actions/${slow}/invoke`, { input: {} }));
    await expect
      .poll(
        async () =>
          (
            await owner.query(`SELECT FROM invocations WHERE action_id = (SELECT id FROM actions WHERE name = $1)`, [
              slow,
            ])
          ).rowCount,
      )
      .toBe(3);
    await Promise.all([Promise.allSettled(held), servers.kill('api')]);
    const late = { url: `${target.baseUrl}/orders`, body: {} };
    expect((await api.post('/api/v2/messages/publish', late)).status).toBe(201);
    await stack.plant(`
      UPDATE installation SET figures_at = now() - interval '1 hour';
      UPDATE lane_queue SET due_at = now() - interval '1 hour';
      UPDATE lane_places SET asked_at = now() - interval '1 hour';
      UPDATE workflow_starts SET due_at = now() - interval '1 hour', claimed = true WHERE kind = 'read';
      UPDATE effects SET reconcile_next_at = now() - interval '1 hour' WHERE stage = 'reconciling' AND NOT reconcile_exhausted;
      UPDATE invocations SET unknown_at = now() - interval '2 days' WHERE status = 'unknown';
      UPDATE invocations SET created_at = now() - interval '1 hour' WHERE status = 'queued'`);
    await stack.seen((value) => value === 1, 'workers', 'state="none"');
    const during = await stack.seen(isPositive, 'overdue_work', 'kind="read"');

    await servers.start('worker');
    await untilNothingIsUnderWay();
    await stack.seen(isZero, 'overdue_work', 'kind="read"');
    for (const effect of await unknownOnes()) {
      const told = {
        outcome: 'failed',
        partialEffect: 'none',
        evidence: { summary: 'The provider has no such order.' },
      };
      const reply = await stack.resolver.post(`/api/v2/actions/effects/${effect}/resolve`, told);
      expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('"failed"')]);
    }
    await sweep.trigger();
    await stack.seen(isPositive, ...sweptAt);
    const after = await stack.seen(isZero, 'unknown_effects');
    const standing = ['MessagesLate', 'NoWorker', 'PlaceWait', 'QueueAge', 'SweepStale'];
    const unknown = ['ReconciliationBehind', 'UnknownExposure', 'UnknownGrowing', 'UnknownOld', 'WorkOverdue'];
    expect(
      judged(before, { seen: during, firing: [...standing, ...unknown, 'DlqGrowing'] }, { seen: after, firing: [] }),
    ).toBe('');
  });

  test('those of the ground: connections, keys, disk, counts, and a restored database', async () => {
    const before = await soundNow();
    const { rows: most } = await owner.query<{ max: number }>(`SELECT current_setting('max_connections')::int AS max`);
    const many = Math.floor(0.86 * (most[0]?.max ?? 0));
    stack.recovery('open');
    const crowd = Array.from({ length: many }, () => new Client({ connectionString: servers.ownerUrl }));
    await Promise.all(crowd.map((one) => one.connect()));
    const undo = stack.fillDisk();
    await stack.plant(`
      UPDATE master_key_digests SET created_at = now() - interval '2 years';
      INSERT INTO daily_usage (environment_id, day, allowance, shard, workspace_id, used)
        SELECT id, (now() AT TIME ZONE 'UTC')::date, 'egress', 99, workspace_id, 7 FROM environments LIMIT 1;
      UPDATE installation SET sweep_stopped_at = sweep_stopped_at - 'usage-invariants'`);
    await sweep.trigger();
    await stack.seen(isPositive, 'usage_drift');
    const during = await stack.seen(isPositive, 'recoveries_open');

    await Promise.all(crowd.map((one) => one.end()));
    undo?.();
    stack.recovery('release');
    await stack.plant(`DELETE FROM daily_usage WHERE shard = 99;
      UPDATE installation SET sweep_stopped_at = sweep_stopped_at - 'usage-invariants'`);
    await sweep.trigger();
    await stack.seen(isZero, 'usage_drift');
    await servers.end('api', 'SIGTERM');
    await servers.start('api', rotated);
    await servers.end('worker', 'SIGTERM');
    await servers.start('worker', rotated);
    await sweep.trigger();
    await stack.seen(isPositive, ...sweptAt);
    const after = await stack.seen((value) => value !== null && value < 3_600, 'master_key_age_seconds');
    const disk = undo === null ? [] : ['FilesDiskFull'];
    const firing = ['CountsDiffer', 'DatabaseConnections', 'MasterKeyOld', 'TimelineChanged', ...disk];
    // An area of the sweep may find no connection.
    const so = ['SweepFailing'];
    expect(judged(before, { seen: during, firing, perhaps: so }, { seen: after, firing: [], perhaps: so })).toBe('');
  });

  test('SyncStandbyMissing: commits wait for a standby that is not there', async () => {
    const before = await soundNow();
    await stack.setSystem('synchronous_standby_names', `'nobody'`);
    onTestFinished(() => stack.setSystem('synchronous_standby_names', `''`));
    await stack.seen(isPositive, 'database_synchronous{');
    const during = await stack.seen(isPositive, 'database_commits_waiting{');
    await stack.setSystem('synchronous_standby_names', `''`);
    await stack.seen(isZero, 'database_synchronous{');
    const after = await stack.seen(isZero, 'database_commits_waiting{');
    // Work that waits for its commit holds its connection.
    const so = ['PoolSaturated', 'SweepFailing'];
    expect(
      judged(
        before,
        { seen: during, firing: ['SyncStandbyMissing'], perhaps: so },
        { seen: after, firing: [], perhaps: so },
      ),
    ).toBe('');
  });

  test('SyncStandbyNotNamed: a standby is required, and PostgreSQL names none', async () => {
    const before = await soundNow();
    const restarted = async (more: Record<string, string>): Promise<void> => {
      await servers.end('worker', 'SIGTERM');
      await servers.start('worker', { ...rotated, ...more });
      await sweep.trigger();
      await stack.seen(isPositive, ...sweptAt);
    };
    await restarted({ REQUIRE_SYNC_STANDBY: '1' });
    await stack.seen(isPositive, 'sync_standby_required');
    const during = await withFigures();
    await restarted({});
    await stack.seen(isZero, 'sync_standby_required');
    const after = await withFigures();
    const so = ['SweepFailing'];
    expect(
      judged(
        before,
        { seen: during, firing: ['SyncStandbyNotNamed'], perhaps: so },
        { seen: after, firing: [], perhaps: so },
      ),
    ).toBe('');
  });

  test('those of a process: requests that fail, connections, its pool, its event loop', async () => {
    const before = await soundNow();
    const sockets: Socket[] = [];
    for (let n = 0; n < CONNECTIONS_MAX + 25; n++)
      sockets.push(connect(Number(new URL(servers.baseUrl).port), '127.0.0.1'));
    await stack.seen((value) => (value ?? 0) > 20, 'http_connections_refused_total');
    for (const socket of sockets) socket.destroy();
    await stack.seen((value) => (value ?? 0) < CONNECTIONS_MAX, 'http_connections{');

    await owner.query('ALTER TABLE actions RENAME TO lost_actions');
    const failed = await Promise.all([1, 2, 3].map(() => api.get('/api/v2/actions')));
    await owner.query('ALTER TABLE lost_actions RENAME TO actions');
    for (const { status } of failed) expect(status).toBeGreaterThanOrEqual(500);

    const locking = new Client({ connectionString: servers.ownerUrl });
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE actions IN ACCESS EXCLUSIVE MODE');
    const waiting = Array.from({ length: 5 }, () => api.get('/api/v2/actions'));
    await stack.seen(isPositive, 'database_pool_waiting', 'pool="api"');
    const during = await stack.seenBusy('api');
    await locking.end();
    // Those that waited too long for a connection are told so.
    for (const { status } of await Promise.all(waiting)) expect([200, 503]).toContain(status);
    await expect.poll(async () => (await api.get('/api/v2/actions')).status).toBe(200);
    const after = await stack.seen((value) => (value ?? 1) < 0.5, 'nodejs_eventloop_lag_p99_seconds', 'instance="api"');
    const firing = ['ConnectionsRefused', 'ErrorRate', 'EventLoopBusy', 'PoolSaturated'];
    expect(judged(before, { seen: during, firing }, { seen: after, firing: [] })).toBe('');
  });

  test('SweepFailing: an area of the sweep cannot be swept', async () => {
    const before = await soundNow();
    await owner.query('ALTER FUNCTION find_expired_memories RENAME TO find_no_memories');
    await sweep.trigger();
    const during = await stack.seen(isPositive, 'sweep_failures_total', 'area="expired-memories"');
    await owner.query('ALTER FUNCTION find_no_memories RENAME TO find_expired_memories');
    // The area goes on with the next try of Temporal, or with the next sweep.
    const finished = ['sweep_finished_timestamp_seconds', 'area="expired-memories"'];
    const last = valueIn(during, ...finished) ?? 0;
    const after = await stack.seen((value) => (value ?? 0) > last, ...finished);
    expect(judged(before, { seen: during, firing: ['SweepFailing'] }, { seen: after, firing: [] })).toBe('');
  });

  test('those of what a process does not see or do: Temporal, the sweep, its clock', async () => {
    const before = await soundNow();
    await sweep.pause('a test');
    await expect.poll(async () => (await sweep.describe()).info.runningActions).toEqual([]);
    const ahead = `data:text/javascript,${encodeURIComponent('const now = Date.now; Date.now = () => now() + 5_000')}`;
    await servers.end('worker', 'SIGTERM');
    await servers.start('worker', { NODE_OPTIONS: `--import=${ahead}` });
    await stack.seen((value) => (value ?? 0) > 2, 'clock_skew_seconds', 'instance="worker"');
    servers.signal('temporal', 'SIGSTOP');
    await stack.seen((value) => value === 1, 'workers', 'state="unknown"');
    const during = await withFigures();
    servers.signal('temporal', 'SIGCONT');

    await sweep.unpause();
    await servers.end('worker', 'SIGTERM');
    await servers.start('worker');
    await sweep.trigger();
    await stack.seen(isPositive, ...sweptAt);
    await stack.seen((value) => value !== null && Math.abs(value) < 2, 'clock_skew_seconds', 'instance="worker"');
    await stack.seen((value) => value === 1, 'workers', 'state="up"');
    const after = await withFigures();
    const firing = ['ClockSkew', 'SweepStale', 'TemporalUnreachable'];
    expect(judged(before, { seen: during, firing }, { seen: after, firing: [] })).toBe('');
  });

  async function unknownOnes(): Promise<string[]> {
    const { rows } = await owner.query<{ id: string }>(
      `SELECT effect_id AS id FROM invocations WHERE status = 'unknown'`,
    );
    return rows.map(({ id }) => id);
  }

  test('FiguresMissing: the figures of the database cannot be read', async () => {
    const before = await soundNow();
    const name = 'read_installation_figures(uuid, interval, integer)';
    await owner.query(`REVOKE EXECUTE ON FUNCTION ${name} FROM service_app`);
    const during = await stack.seen((value) => value === null, 'unknown_effects');
    await owner.query(`GRANT EXECUTE ON FUNCTION ${name} TO service_app`);
    const after = await stack.seen(isZero, 'unknown_effects');
    expect(judged(before, { seen: during, firing: ['FiguresMissing'] }, { seen: after, firing: [] })).toBe('');
  });

  test('NoApi: no API runs', async () => {
    const before = await soundNow();
    await servers.end('api', 'SIGTERM');
    await stack.seen((value) => value === null, 'workers', 'state="up"');
    const during = await withFigures();
    await servers.start('api');
    await stack.seen((value) => value === 1, 'workers', 'state="up"');
    const after = await withFigures();
    expect(judged(before, { seen: during, firing: ['NoApi'] }, { seen: after, firing: [] })).toBe('');
  });

  test('WatchdogEnded: a call outlives its deadline', async () => {
    const before = await soundNow();
    const logger = pino({ level: 'silent' });
    const metrics = await openMetrics('127.0.0.1:0', logger);
    const watchdog = new Watchdog({ logger, graceMs: 0, intervalMs: 10 });
    onTestFinished(async () => {
      watchdog.close();
      await metrics.close();
    });
    metrics.watch(ofWatchdog(watchdog));
    const shown = async (): Promise<Samples> => {
      const reply = await fetch(`http://127.0.0.1:${metrics.endpoints[0]?.port}/metrics`);
      return new Map([...before.seen, ...samplesOf({ another: await reply.text() })]);
    };
    const first = await shown();
    const watched = { kind: 'delivery', workspaceId: 'one', ids: {}, timeoutMs: 1 } as const;
    await expect(watchdog.run(watched, () => new Promise(() => undefined))).rejects.toThrow('outlived its deadline');
    const during = await shown();
    expect(
      judged({ seen: first, firing: [] }, { seen: during, firing: ['WatchdogEnded'] }, { seen: during, firing: [] }),
    ).toBe('');
  });
});
