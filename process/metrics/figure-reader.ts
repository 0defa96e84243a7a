import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Database } from '../../db/client.ts';
import { type Figure, readInstallationFigures } from '../../db/metrics/installation-figures.ts';
import { describeFailure } from '../../domain/failures.ts';
import { METRICS, type MetricOf } from '../../domain/metrics/catalogue.ts';
import type { MetricDeclaration } from '../../domain/metrics/declaration.ts';
import type { Recorder } from '../../domain/metrics/recorder.ts';
import { PRODUCT } from '../../domain/product.ts';

/** How far apart a process reads the figures of the installation. */
export const FIGURES_INTERVAL_MS = 15_000;
/** A process that has not read for so long has ended, and another one reads. Figures that are older are not shown. */
export const FIGURES_STAY_SECONDS = 40;

/** The one connection that a process reads figures over. */
export function openForFigures(url: string): Database {
  return new Database({ url, poolMax: 1, applicationName: `${PRODUCT.id}-figures` });
}

/** Reads what PostgreSQL knows, every few seconds: one process for all, and its clock for each. */
export class FigureReader {
  private readonly processId = randomUUID();
  private readonly timer: NodeJS.Timeout;
  private reading: Promise<void> | null = null;
  private figures: readonly Figure[] = [];
  private readAtMs = -Infinity;
  private skewSeconds: number | null = null;
  private readonly db: Pick<Database, 'directory'>;
  private readonly logger: Pick<Logger, 'warn'>;

  constructor(db: Pick<Database, 'directory'>, logger: Pick<Logger, 'warn'>) {
    this.db = db;
    this.logger = logger;
    this.timer = setInterval(() => void this.read(), FIGURES_INTERVAL_MS).unref();
    void this.read();
  }

  /** Reads now, or waits for the reading that is under way. Never rejects. */
  read(): Promise<void> {
    this.reading ??= this.update().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  show(show: Recorder): void {
    if (performance.now() - this.readAtMs > FIGURES_STAY_SECONDS * 1_000) return;
    if (this.skewSeconds !== null) show.set('agent_actions_clock_skew_seconds', {}, this.skewSeconds);
    for (const figure of this.figures) showFigure(show, figure);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.reading;
  }

  private async update(): Promise<void> {
    try {
      const askedAtMs = performance.now();
      const found = await readInstallationFigures(this.db, this.processId, FIGURES_STAY_SECONDS);
      const tookMs = performance.now() - askedAtMs;
      const clock = found.find(({ name }) => name === 'clock')?.value ?? null;
      // The server says its time where its function begins. The rest of the time is the reading's own.
      const readingMs = 1_000 * (found.find(({ name }) => name === 'figures_read_seconds')?.value ?? 0);
      const saidAtMs = Date.now() - tookMs + (tookMs - readingMs) / 2;
      this.skewSeconds = clock === null ? null : saidAtMs / 1_000 - clock;
      this.figures = found.filter(({ name }) => name !== 'clock');
      this.readAtMs = performance.now();
    } catch (error) {
      this.logger.warn({ failure: describeFailure(error) }, 'the figures for metrics could not be read');
    }
  }
}

/** A figure that a newer database has and this release does not know is left out. */
function showFigure(show: Recorder, { name, label, value }: Figure): void {
  const known = `agent_actions_${name}`;
  if (!Object.hasOwn(METRICS, known)) return;
  const { type, labels }: MetricDeclaration = METRICS[known as keyof typeof METRICS];
  const [labelName] = labels;
  const labelled = labelName === undefined ? {} : { [labelName]: label };
  if (type === 'counter') show.add(known as MetricOf<'counter'>, labelled as never, value);
  else show.set(known as MetricOf<'gauge'>, labelled as never, value);
}
