import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  diag,
  type DiagLogger,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Database } from '../../db/client.ts';
import type { OwnEndpoint } from '../../domain/own-endpoints.ts';
import { PRODUCT } from '../../domain/product.ts';
import { ATTRIBUTES } from '../../domain/tracing/attributes.ts';
import { formatTraceparent, parseTraceparent } from '../../domain/tracing/traceparent.ts';
import type { OpenSpan, SpanAttributes, SpanStart, Tracing } from '../../domain/tracing/tracing.ts';
import { rememberContext } from './record-context.ts';
import { CallTracing } from './trace-calls.ts';
import { WholeTrees } from './whole-trees.ts';

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;
const SAMPLED: number = TraceFlags.SAMPLED;
/** A collector that does not answer holds up no stop. */
const CLOSE_MS_MAX = 3_000;
const DETAIL_CHARACTERS_MAX = 300;

interface OtelOptions {
  /** Told of spans that could not be sent. */
  logger: Pick<Logger, 'warn'>;
  endpoints?: readonly OwnEndpoint[];
  /** What takes the spans, in tests. */
  processor?: SpanProcessor;
}

/**
 * Spans by OpenTelemetry's SDK, which reads its own variables (`OTEL_EXPORTER_OTLP_…`, `OTEL_BSP_…`, `OTEL_TRACES_SAMPLER`). Nothing is
 * instrumented by itself, and nothing is global: workflows and tenants' code see none of it.
 */
export class OtelTracing implements Tracing {
  readonly isOn = true;
  readonly endpoints: readonly OwnEndpoint[];
  private readonly calls = new CallTracing(this);
  readonly watch = this.calls.option;
  private readonly underWay = new AsyncLocalStorage<Span>();
  private readonly provider: BasicTracerProvider;
  private readonly tracer: Tracer;

  constructor(serviceName: string, options: OtelOptions) {
    this.endpoints = options.endpoints ?? [];
    diag.setLogger(diagLogger(options.logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const processor = options.processor ?? new WholeTrees(new BatchSpanProcessor(new OTLPTraceExporter()));
    const own = resourceFromAttributes({ [ATTRIBUTES.service]: serviceName, [ATTRIBUTES.version]: PRODUCT.version });
    const resource = own.merge(detectResources({ detectors: [envDetector] }));
    this.provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
    this.tracer = this.provider.getTracer(PRODUCT.id, PRODUCT.version);
  }

  useDatabase(db: Database): void {
    this.calls.useDatabase(db);
  }

  context(): string | null {
    const span = this.underWay.getStore();
    if (span === undefined) return null;
    const { traceId, spanId, traceFlags } = span.spanContext();
    return formatTraceparent({ traceId, spanId, isSampled: (traceFlags & SAMPLED) !== 0 });
  }

  async span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    // Most work is not sampled, and nothing below it is.
    if (start.parent === undefined && this.underWay.getStore()?.isRecording() === false) return work(UNSAMPLED);
    const span = this.begin(start);
    try {
      return await this.underWay.run(span, () => work(openSpanOf(span)));
    } catch (error) {
      fail(span, error instanceof Error ? error.name : typeof error);
      throw error;
    } finally {
      span.end();
    }
  }

  annotate(attributes: SpanAttributes): void {
    this.underWay.getStore()?.setAttributes({ ...attributes });
  }

  made(id: string): void {
    const context = this.context();
    if (context !== null) rememberContext(id, context);
  }

  past(start: SpanStart, from: Date, until: Date): void {
    this.begin(start, from).end(until);
  }

  async close(): Promise<void> {
    const closed = this.provider.shutdown().catch(() => undefined); // the collector is away
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS_MAX);
    });
    await Promise.race([closed, late]);
    clearTimeout(timer);
  }

  private begin({ name, kind, parent, attributes = {} }: SpanStart, startTime?: Date): Span {
    const options = {
      kind: KINDS[kind],
      attributes: { ...attributes },
      ...(startTime === undefined ? {} : { startTime }),
    };
    return this.tracer.startSpan(name, options, this.contextUnder(parent));
  }

  private contextUnder(parent: string | null | undefined): Context {
    if (parent === undefined) {
      const span = this.underWay.getStore();
      return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
    }
    const named = parent === null ? null : parseTraceparent(parent);
    if (named === null) return ROOT_CONTEXT;
    const traceFlags = named.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, {
      traceId: named.traceId,
      spanId: named.spanId,
      traceFlags,
      isRemote: true,
    });
  }
}

const UNSAMPLED: OpenSpan = { rename: () => undefined, set: () => undefined, fail: () => undefined };

/** What the SDK says of itself. It quotes no span. */
function diagLogger(logger: Pick<Logger, 'warn'>): DiagLogger {
  const warn = (text: string): void =>
    logger.warn({ detail: text.slice(0, DETAIL_CHARACTERS_MAX) }, 'OpenTelemetry has trouble: spans may be lost');
  return { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined };
}

function openSpanOf(span: Span): OpenSpan {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: (errorType) => fail(span, errorType),
  };
}

function fail(span: Span, errorType: string): void {
  span.setAttribute(ATTRIBUTES.errorType, errorType).setStatus({ code: SpanStatusCode.ERROR });
}
