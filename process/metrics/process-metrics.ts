import type { Logger } from 'pino';
import { type InternalListener, listenInternally } from '../../api/health/internal-listener.ts';
import type { Database } from '../../db/client.ts';
import { NOTHING_RECORDED, type Recorder } from '../../domain/metrics/recorder.ts';
import { PRODUCT } from '../../domain/product.ts';
import { FigureReader } from './figure-reader.ts';
import { Recording } from './recording.ts';

/** Says at each scrape what something knows: the size of a pool, the calls in flight. */
export type Source = (show: Recorder) => void | Promise<void>;

/** The metrics of one process, which may be API and worker at once. */
export interface ProcessMetrics extends Pick<InternalListener, 'endpoints' | 'close'> {
  /** False where METRICS_ADDRESS is not set: then nothing is recorded or read. */
  readonly isServed: boolean;
  readonly recorder: Recorder;
  watch(source: Source): void;
  /**
   * Reads the figures of the installation until the returned function has ended. Opens a connection for them alone, because
   * they must tell of a pool that is exhausted. What is asked for second in a process opens none.
   */
  readFigures(open: () => Pick<Database, 'directory' | 'close'>): () => Promise<void>;
}

export const NO_METRICS: ProcessMetrics = {
  isServed: false,
  recorder: NOTHING_RECORDED,
  endpoints: [],
  watch: () => undefined,
  readFigures: () => () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Serves `GET /metrics` at `host:port`. With null it loads nothing, and costs nothing. Throws where it cannot listen. */
export async function openMetrics(address: string | null, logger: Logger): Promise<ProcessMetrics> {
  if (address === null) return NO_METRICS;
  const client = await import('prom-client');
  const recorded = new Recording(client);
  client.collectDefaultMetrics({ register: recorded.registry });
  recorded.set('agent_actions_build_info', { version: PRODUCT.version, node: process.versions.node }, 1);
  const sources: Source[] = [];
  let isRead = false;
  const scrape = async (): Promise<string> => {
    // What sources say is made at each scrape, so that what one no longer says is no longer shown.
    const shown = new Recording(client);
    await Promise.all(sources.map(async (source) => source(shown)));
    return `${await recorded.registry.metrics()}\n${await shown.registry.metrics()}`;
  };
  const contentType = recorded.registry.contentType;
  const listener = await listenInternally(address, {
    '/metrics': async () => ({ status: 200, contentType, body: await scrape() }),
  });
  return {
    isServed: true,
    recorder: recorded,
    endpoints: listener.endpoints,
    watch: (source) => void sources.push(source),
    readFigures: (open) => {
      if (isRead) return () => Promise.resolve();
      isRead = true;
      const db = open();
      const reader = new FigureReader(db, logger);
      sources.push((show) => reader.show(show));
      return async () => {
        await reader.stop();
        await db.close();
      };
    },
    close: () => listener.close(),
  };
}
