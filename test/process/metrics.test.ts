import { describe, expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import type { AdapterFor } from '../../activities/adapters/index.ts';
import { NO_METRICS, openMetrics, type ProcessMetrics } from '../../process/metrics/process-metrics.ts';
import { observedCalls } from '../../process/metrics/observe-calls.ts';
import { observedRequests } from '../../process/metrics/observe-requests.ts';
import { loadTree } from '../architecture/source-tree.ts';

const logger = pino({ level: 'silent' });
const noCalls = {
  adapterFor: (() => {
    throw new Error('no adapter is asked for');
  }) as AdapterFor,
  sendRequest: () => Promise.reject(new Error('the connection broke')),
};

async function served(): Promise<{ metrics: ProcessMetrics; scrape: () => Promise<Response> }> {
  const metrics = await openMetrics('127.0.0.1:0', logger);
  onTestFinished(() => metrics.close());
  const url = `http://127.0.0.1:${metrics.endpoints[0]?.port}/metrics`;
  return { metrics, scrape: () => fetch(url) };
}

describe('without METRICS_ADDRESS', () => {
  test('nothing is wrapped, nothing is read, and prom-client is not loaded', async () => {
    const metrics = await openMetrics(null, logger);
    expect(metrics).toBe(NO_METRICS);
    expect(observedCalls(metrics, noCalls)).toBe(noCalls);
    expect(observedRequests(metrics)).toEqual({});
    const open = (): never => {
      throw new Error('a connection was opened');
    };
    await metrics.readFigures(open)();
    const loaders = loadTree().flatMap(({ path, text }) =>
      /^(?!test\/).*\.ts$/.test(path)
        ? [...text.matchAll(/^.*'prom-client'.*$/gm)].map(([line]) => [path, line.trim()])
        : [],
    );
    expect(loaders).toEqual([
      ['process/metrics/process-metrics.ts', "const client = await import('prom-client');"],
      ['process/metrics/recording.ts', expect.stringMatching(/^import type /)],
    ]);
  });
});

describe('with METRICS_ADDRESS', () => {
  test('GET /metrics answers in the format of Prometheus, and nothing else is there', async () => {
    const { metrics, scrape } = await served();
    const reply = await scrape();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining('version=0.0.4')]);
    const text = await reply.text();
    expect(text).toMatch(/^agent_actions_build_info\{version="[\d.]+",node="[\d.]+"\} 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    const origin = `http://127.0.0.1:${metrics.endpoints[0]?.port}`;
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  test('shows what a source says now, and no longer what it said before', async () => {
    const { metrics, scrape } = await served();
    let waiting: number | null = 3;
    metrics.watch((show) => {
      if (waiting !== null) show.set('agent_actions_database_pool_waiting', { pool: 'api' }, waiting);
    });
    expect(await (await scrape()).text()).toContain('agent_actions_database_pool_waiting{pool="api"} 3\n');
    waiting = null;
    expect(await (await scrape()).text()).not.toContain('agent_actions_database_pool_waiting');
  });

  test('keeps probes apart from requests that no route took', async () => {
    const { metrics, scrape } = await served();
    const { onAnswer } = observedRequests(metrics);
    const answered = { method: 'GET', route: null, status: 503, durationMs: 1 };
    onAnswer?.({ ...answered, isProbe: true });
    onAnswer?.({ ...answered, isProbe: false });
    const text = await (await scrape()).text();
    for (const route of ['probe', 'other'])
      expect(text).toContain(
        `agent_actions_http_request_duration_seconds_count{method="GET",route="${route}",status="503"} 1\n`,
      );
  });

  test('counts a call that threw as one that broke off, and passes the error on', async () => {
    const { metrics, scrape } = await served();
    const { sendRequest } = observedCalls(metrics, noCalls);
    await expect(sendRequest({} as never, {} as never, {} as never)).rejects.toThrow('the connection broke');
    expect(await (await scrape()).text()).toContain(
      'agent_actions_delivery_duration_seconds_count{result="broke_off"} 1\n',
    );
  });
});
