import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { freePorts } from '../../embedded/ports.ts';
import { METRICS } from '../../domain/metrics/catalogue.ts';
import { QUERIES } from '../../ops/grafana/dashboard.ts';
import { projectRoot } from '../../process/project-root.ts';
import { createAction, invocationIn } from '../api/invocations/support.ts';
import { startTarget } from '../harness/target.ts';
import { metricsNamedIn } from '../ops/named-metrics.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** What an API and a worker show of the faults that the alerts are about, each made by hand, and that they show all that they say. */

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const [apiPort = 0, workerPort = 0, temporalPort = 0, closedPort = 0] = await freePorts(4);
const { key } = await processes.database.db.withEnvironment(processes.database.tenant, (tx) =>
  createApiKey(tx, { name: 'metrics', preset: 'full_access', scopes: ['messages:read', 'messages:write'] }),
);
const environment = { METRICS_ADDRESS: `127.0.0.1:${apiPort}`, FILES_DIR: tmpdir(), DATABASE_POOL_MAX: '2' };
const approver = await processes.startApi(environment);
const api = approver.as(key);
const owner = await processes.database.connectOwner();

async function scrape(port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining('version=0.0.4')]);
  return reply.text();
}

/** The value of a series as it is written; null where it is not shown. */
async function valueOf(port: number, series: string): Promise<number | null> {
  const line = (await scrape(port)).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length));
}

/** One of the two reads the figures of the installation, and only one shows them. */
async function figure(series: string): Promise<number | null> {
  const [one, other] = await Promise.all([apiPort, workerPort].map((port) => valueOf(port, series)));
  expect([one, other], series).toContain(null);
  return one ?? other ?? null;
}

describe('the metrics of an API and a worker', () => {
  test('NoWorker: say that nobody polls, until somebody does', async () => {
    const worker = { none: 'agent_actions_workers{state="none"}', up: 'agent_actions_workers{state="up"}' };
    await expect.poll(() => valueOf(apiPort, worker.none)).toBe(1);
    await processes.startWorker({
      METRICS_ADDRESS: `127.0.0.1:${workerPort}`,
      TEMPORAL_METRICS_ADDRESS: `127.0.0.1:${temporalPort}`,
      FILES_DIR: tmpdir(),
    });
    await expect.poll(() => valueOf(apiPort, worker.up)).toBe(1);
    expect(await valueOf(apiPort, worker.none)).toBe(0);
  });

  test('PoolSaturated: show the work that waits for a connection', async () => {
    const busy = 'agent_actions_database_pool_connections{pool="api",state="busy"}';
    const waits = 'agent_actions_database_pool_waiting{pool="api"}';
    await owner.query('BEGIN; LOCK TABLE actions IN ACCESS EXCLUSIVE MODE');
    const waiting = Array.from({ length: 5 }, () => api.get('/api/v2/actions'));
    try {
      await expect.poll(() => valueOf(apiPort, waits)).toBeGreaterThanOrEqual(3);
      expect(await valueOf(apiPort, busy)).toBe(2);
    } finally {
      await owner.query('ROLLBACK');
    }
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    expect(await valueOf(apiPort, waits)).toBe(0);
    const counted =
      'agent_actions_http_request_duration_seconds_count{method="GET",route="/api/v2/actions",status="200"}';
    expect(await valueOf(apiPort, counted)).toBe(5);
  });

  test('UnknownGrowing, DlqGrowing: count what is unknown now, and the dead letters', async () => {
    const stays = await createAction(api, { url: `${target.baseUrl}/reset` });
    const verify = {
      request: { method: 'GET', url: `${target.baseUrl}/orders/{{input.id}}` },
      expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
    };
    const found = await createAction(
      api,
      { url: `${target.baseUrl}/orders?answer=reset`, body: { id: '{{input.id}}' } },
      { verify },
    );
    const replies = await Promise.all([
      api.post(`/api/v2/actions/${stays}/invoke`, { input: {} }),
      api.post(`/api/v2/actions/${found}/invoke`, { input: { id: 'lost' } }),
    ]);
    const [unknown, lost] = replies.map(invocationIn);
    expect(unknown?.status).toBe('unknown');
    const published = { url: `http://127.0.0.1:${closedPort}/`, body: {}, maxRetries: 0 };
    expect((await api.post('/api/v2/messages/publish', published)).status).toBeLessThan(300);
    const asked = { title: 'Pay', summary: 'Pays the invoice.', payload: { amount: 7 } };
    const approval = (await api.post('/api/v2/approvals', asked)).json as { data: { id: string } };
    expect((await approver.post(`/api/v2/approvals/${approval.data.id}/deny`, { note: 'no' })).status).toBe(200);
    await expect
      .poll(async () => invocationIn(await api.get(`/api/v2/actions/invocations/${lost?.id}`)).grade)
      .toBe('confirmed');
    await expect.poll(() => figure('agent_actions_unknown_effects')).toBe(1);
    await expect.poll(() => figure('agent_actions_dead_letters')).toBe(1);
    const dispatched = 'agent_actions_dispatch_duration_seconds_count{adapter="http.request",result="no_answer"}';
    expect(await valueOf(workerPort, dispatched)).toBe(2);
    expect(await valueOf(workerPort, 'agent_actions_delivery_duration_seconds_count{result="not_sent"}')).toBe(1);
  });

  test('SweepFailing, SweepStale: say which area failed, and when each ended', async () => {
    const temporal = await processes.temporalClient();
    await owner.query('ALTER FUNCTION find_expired_memories RENAME TO find_no_memories');
    const startedAt = Date.now() / 1_000;
    await temporal.schedule.getHandle('maintenance/sweep').trigger();
    const failures = (area: string): string => `agent_actions_sweep_failures_total{area="${area}"}`;
    await expect.poll(() => valueOf(workerPort, failures('expired-memories'))).toBeGreaterThan(0);
    await owner.query('ALTER FUNCTION find_no_memories RENAME TO find_expired_memories');
    expect(await valueOf(workerPort, failures('workflow-starts'))).toBe(0);
    const finished = (area: string) =>
      valueOf(workerPort, `agent_actions_sweep_finished_timestamp_seconds{area="${area}"}`);
    expect(await finished('workflow-starts')).toBeGreaterThan(startedAt - 1);
    // The area goes on with the next try of Temporal, or with the next sweep.
    await expect.poll(() => finished('expired-memories')).toBeGreaterThan(startedAt);
  });

  test('ClockSkew: compare the clock of each process with that of PostgreSQL', async () => {
    for (const port of [apiPort, workerPort]) {
      const skew = await valueOf(port, 'agent_actions_clock_skew_seconds');
      expect(Math.abs(skew ?? Infinity)).toBeLessThan(1);
    }
  });

  test('are all that rules, dashboard and pages name, and all of ours are on the page', async () => {
    const read = (...file: string[]): string => readFileSync(path.join(projectRoot(), ...file), 'utf8');
    const page = metricsNamedIn(read('docs', 'metrics.md'));
    const rules = JSON.stringify(load(read('ops', 'prometheus', 'rules.yml')));
    const named = [...metricsNamedIn([rules, ...QUERIES, read('docs', 'runbooks.md')].join('\n')), ...page];
    // The counts of the sweep are read within a quarter of a minute.
    await expect.poll(() => figure('agent_actions_unknowns_resolved_total{how="lookup"}')).toBe(1);
    const shown = (await Promise.all([apiPort, workerPort].map(scrape))).flatMap((text) =>
      [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name),
    );
    expect([...new Set(named)].filter((name) => !shown.includes(name))).toEqual([]);
    const ours = [...new Set(shown)].filter((name) => name.startsWith('agent_actions_'));
    expect(ours.filter((name) => !page.includes(name))).toEqual([]);
    expect(ours.toSorted()).toEqual(Object.keys(METRICS).toSorted());
  });

  test('name no tenant, and no path of a request', async () => {
    const texts = (await Promise.all([apiPort, workerPort].map(scrape))).join('\n');
    const { workspaceId, environmentId } = processes.database.tenant;
    for (const secret of [workspaceId, environmentId, target.host, '/orders', 'inv_']) {
      expect(texts).not.toContain(secret);
    }
  });

  test('those of the core of Temporal have a port of their own, which is no destination', async () => {
    const text = await (await fetch(`http://127.0.0.1:${temporalPort}/metrics`)).text();
    expect(text).toMatch(/^temporal_worker_task_slots_available/m);
    for (const port of [temporalPort, workerPort]) {
      const probe = await createAction(api, { url: `http://127.0.0.1:${port}/metrics` });
      const reply = await api.post(`/api/v2/actions/${probe}/invoke`, { input: {} });
      expect(JSON.stringify(reply.json)).toContain('destination_blocked');
    }
  });
});
