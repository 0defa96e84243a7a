import type { Logger } from 'pino';
import type { WatchdogOptions } from '../../activities/adapters/watchdog.ts';
import type { Database } from '../../db/client.ts';
import type { EnvironmentVariables } from '../../domain/configuration/read-configuration.ts';
import { endpointOf, type OwnEndpoint } from '../../domain/own-endpoints.ts';
import { PRODUCT } from '../../domain/product.ts';
import { NO_TRACING, type Tracing } from '../../domain/tracing/tracing.ts';

/** The spans of a process, and the end of their exporter. */
export interface ProcessTracing extends Tracing {
  /** The option of the watchdog that traces calls to the outside; none where nothing is traced. */
  readonly watch: Pick<WatchdogOptions, 'around'>;
  /** The collector, which no action reaches. */
  readonly endpoints: readonly OwnEndpoint[];
  /** Where traces of records are looked up. */
  useDatabase(db: Database): void;
  /** Sends what is left. Never rejects. */
  close(): Promise<void>;
}

export const TRACING_OFF: ProcessTracing = {
  ...NO_TRACING,
  watch: {},
  endpoints: [],
  useDatabase: () => undefined,
  close: () => Promise.resolve(),
};

const PROTOCOL = 'http/protobuf';

/**
 * Switched on by an endpoint of OpenTelemetry's own variables, as its specification has them. Otherwise nothing of OpenTelemetry is
 * loaded, and nothing is wrapped.
 *
 * @throws where another protocol is asked for than OTLP over HTTP in protobuf.
 */
export async function openTracing(
  process: 'api' | 'worker' | 'embedded',
  environment: EnvironmentVariables,
  logger: Pick<Logger, 'warn'>,
): Promise<ProcessTracing> {
  const endpoint = collectorIn(environment);
  if (endpoint === null) return TRACING_OFF;
  const protocol =
    set(environment, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? set(environment, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== null && protocol !== PROTOCOL) {
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and traces are sent by ${PROTOCOL} alone`);
  }
  const { OtelTracing } = await import('./otel-tracing.ts');
  const service = process === 'embedded' ? PRODUCT.id : `${PRODUCT.id}-${process}`;
  return new OtelTracing(service, { logger, endpoints: [ownEndpointOf(endpoint)] });
}

/** Null where traces are off. */
function collectorIn(environment: EnvironmentVariables): string | null {
  if (set(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  if ((set(environment, 'OTEL_TRACES_EXPORTER') ?? 'otlp') !== 'otlp') return null;
  return set(environment, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? set(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT');
}

/** @throws where it is no URL, without the text: it may hold a password. */
function ownEndpointOf(endpoint: string): OwnEndpoint {
  if (!URL.canParse(endpoint)) throw new Error('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL');
  return endpointOf(endpoint);
}

/** An empty variable is not set: OpenTelemetry's specification of its environment variables. */
function set(environment: EnvironmentVariables, name: string): string | null {
  const value = environment[name]?.trim() ?? '';
  return value === '' ? null : value;
}
