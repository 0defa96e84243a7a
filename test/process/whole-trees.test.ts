import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { WholeTrees } from '../../process/tracing/whole-trees.ts';

/** What a process that is killed has sent by then. */

const REMOTE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

function open() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new WholeTrees(new SimpleSpanProcessor(exporter))] });
  const tracer = provider.getTracer('test');
  const parent = { ...REMOTE, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  const root = tracer.startSpan('root', {}, trace.setSpanContext(ROOT_CONTEXT, parent));
  const below = (name: string) => tracer.startSpan(name, {}, trace.setSpan(ROOT_CONTEXT, root));
  const sent = (): string[] => exporter.getFinishedSpans().map(({ name }) => name);
  return { provider, root, below, sent };
}

describe('spans of a process', () => {
  test('wait for the one that they stand under, and go with it', () => {
    const { root, below, sent } = open();
    below('first').end();
    below('second').end();
    expect(sent()).toEqual([]);
    root.end();
    expect(sent()).toEqual(['first', 'second', 'root']);
  });

  test('go at once where that one has ended', () => {
    const { root, below, sent } = open();
    const late = below('late');
    root.end();
    late.end();
    expect(sent()).toEqual(['root', 'late']);
  });

  test('are held in a bounded number, and none is lost', () => {
    const { root, below, sent } = open();
    const count = 600;
    for (let number = 0; number < count; number++) below('one').end();
    expect(sent()).toHaveLength(count - 512);
    root.end();
    expect(sent()).toHaveLength(count + 1);
  });
});
