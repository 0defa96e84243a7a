import * as conventions from '@opentelemetry/semantic-conventions';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ATTRIBUTES } from '../../domain/tracing/attributes.ts';
import { openTracing, TRACING_OFF } from '../../process/tracing/open-tracing.ts';
import { OtelTracing } from '../../process/tracing/otel-tracing.ts';
import { tracedActivities, tracedPlain } from '../../process/tracing/trace-activities.ts';
import { tracedCalls } from '../../process/tracing/trace-calls.ts';
import { tracedRequests } from '../../process/tracing/trace-requests.ts';
import { loadTree } from '../architecture/source-tree.ts';

const logger = pino({ level: 'silent' });
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const parent = (flags: string): string => `00-${TRACE}-b7ad6b7169203331-${flags}`;

function kept(): { tracing: OtelTracing; spans: InMemorySpanExporter } {
  const spans = new InMemorySpanExporter();
  const tracing = new OtelTracing('test', { logger, processor: new SimpleSpanProcessor(spans) });
  onTestFinished(() => tracing.close());
  return { tracing, spans };
}

describe('without an endpoint', () => {
  test('nothing is wrapped, and nothing of OpenTelemetry is loaded', async () => {
    expect(await openTracing('api', {}, logger)).toBe(TRACING_OFF);
    const [activities, plain, calls] = [{}, {}, {}] as never[];
    expect(tracedActivities(TRACING_OFF, null as never, activities as never)).toBe(activities);
    expect(tracedPlain(TRACING_OFF, plain as never)).toBe(plain);
    expect(tracedCalls(TRACING_OFF, calls as never)).toBe(calls);
    expect([tracedRequests(TRACING_OFF), TRACING_OFF.watch]).toEqual([{}, {}]);
    const loaders = loadTree().flatMap(({ path, text }) =>
      /^(?!test\/|sdk\/|bench\/)/.test(path) && /'@opentelemetry\/(api|sdk|resources|exporter)/.test(text)
        ? [path]
        : [],
    );
    // The second imports types alone.
    expect(loaders).toEqual(['process/tracing/otel-tracing.ts', 'process/tracing/whole-trees.ts']);
    const importers = loadTree().filter(
      ({ path, text }) => /^(?!test\/).*\.ts$/.test(path) && text.includes('otel-tracing.ts'),
    );
    expect(importers.map(({ path }) => path)).toEqual(['process/tracing/open-tracing.ts']);
    expect(importers[0]?.text.match(/.*otel-tracing\.ts.*/g)).toEqual([
      "  const { OtelTracing } = await import('./otel-tracing.ts');",
    ]);
  });

  test.each([
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_TRACES_EXPORTER', 'none'],
  ])('and with one where %s is %s', async (name, value) => {
    expect(await openTracing('worker', { ...ENDPOINT, [name]: value }, logger)).toBe(TRACING_OFF);
  });

  test('another protocol is refused', async () => {
    const asked = openTracing('api', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, logger);
    await expect(asked).rejects.toThrow('http/protobuf alone');
  });
});

describe('a span', () => {
  test('stands under the caller’s, and what it runs under it', async () => {
    const { tracing, spans } = kept();
    const inner = await tracing.span({ name: 'outer', kind: 'server', parent: parent('01') }, async () =>
      tracing.span({ name: 'inner', kind: 'client' }, () => Promise.resolve(tracing.context())),
    );
    const [client, server] = spans.getFinishedSpans();
    expect(server?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(client?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId);
    expect(inner).toBe(`00-${TRACE}-${client?.spanContext().spanId}-01`);
  });

  test('stays unsampled under an unsampled one, and says so to what comes later', async () => {
    const { tracing, spans } = kept();
    const context = await tracing.span({ name: 'outer', kind: 'server', parent: parent('00') }, () =>
      Promise.resolve(tracing.context()),
    );
    expect(context).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    await tracing.span({ name: 'later', kind: 'consumer', parent: context }, () => Promise.resolve());
    expect(spans.getFinishedSpans()).toEqual([]);
  });

  test('is that of what a worker of the same process does for a record that the request made', async () => {
    const { tracing, spans } = kept();
    const ref = { invocationId: 'inv_made_here', workspaceId: 'ws_1', environmentId: 'env_1' };
    await tracing.span({ name: 'POST', kind: 'server', parent: parent('01') }, async () =>
      tracing.made(ref.invocationId),
    );
    const advanceInvocation = () => Promise.resolve('done');
    const noDatabase = null as never;
    const activities = tracedActivities(tracing, noDatabase, { advanceInvocation } as never);
    expect(await activities.advanceInvocation(ref as never)).toBe('done');
    const [request, activity] = spans.getFinishedSpans();
    expect(activity?.name).toBe('advanceInvocation');
    expect(activity?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  });

  test('of a call waits for no database that does not answer, and looks nothing up there for good', async () => {
    const { tracing } = kept();
    const watched = {
      kind: 'dispatch',
      workspaceId: 'ws_1',
      ids: { environmentId: 'env_1', invocationId: 'inv_silent' },
      timeoutMs: 60_000,
      fence: { closedBy: () => null },
    } as never;
    const call = () => Promise.resolve('answered');
    const { around } = tracing.watch;
    if (around === undefined) throw new Error('tracing is on');
    tracing.useDatabase({ oneStatement: () => new Promise(() => undefined) } as never);
    const sampled = { name: 'dispatchEffect', kind: 'consumer', parent: parent('01') } as const;
    expect(await tracing.span(sampled, () => around(watched, call))).toBe('answered');
    tracing.useDatabase({ oneStatement: () => Promise.reject(new Error('away')) } as never);
    expect(await around(watched, call)).toBe('answered');
  });

  test('has the name of an error, and not its message', async () => {
    const { tracing, spans } = kept();
    const failing = tracing.span({ name: 'failing', kind: 'internal' }, () =>
      Promise.reject(new RangeError('planted-secret')),
    );
    await expect(failing).rejects.toThrow('planted-secret');
    const [span] = spans.getFinishedSpans();
    expect(span?.attributes).toEqual({ 'error.type': 'RangeError' });
    expect([span?.status, span?.events]).toEqual([{ code: 2 }, []]);
  });

  test('of what is over has the times of then', () => {
    const { tracing, spans } = kept();
    tracing.past({ name: 'wait', kind: 'internal', parent: null }, new Date(1_000), new Date(4_500));
    const [span] = spans.getFinishedSpans();
    expect([span?.startTime, span?.endTime]).toEqual([
      [1, 0],
      [4, 500_000_000],
    ]);
  });
});

describe('with an endpoint', () => {
  test('the collector is one of the service’s own ports', async () => {
    const tracing = await openTracing('api', ENDPOINT, logger);
    expect(tracing.endpoints).toEqual([{ host: '127.0.0.1', port: 9 }]);
    await tracing.close();
  });

  test('a text that is no URL is refused, and not repeated', async () => {
    const asked = openTracing('api', { OTEL_EXPORTER_OTLP_ENDPOINT: 'planted-secret' }, logger);
    await expect(asked).rejects.toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL$/);
  });
});

test('the attributes have the names of the conventions', () => {
  const names = new Set(Object.values(conventions));
  expect(Object.values(ATTRIBUTES).filter((name) => !names.has(name))).toEqual([]);
});
