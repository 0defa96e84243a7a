import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { describeFailure } from '../../domain/failures.ts';
import type { Workers, WorkerState } from '../dependencies.ts';

/** A queue without a sign of life for this long has no poller. */
export const SILENT_MS_MAX = 30_000;
/**
 * An idle worker's poll stays open for a minute, and Temporal dates it by its start. Added when there are no worker heartbeats (servers
 * before 1.29).
 */
const OPEN_POLL_MS_MAX = 60_000;
const LOOK_INTERVAL_MS = 5_000;
const CALL_TIMEOUT_MS = 2_000;

/** From the Protobuf definitions of Temporal's API. */
const TASK_TYPES = { workflows: 1, activities: 2 } as const;
const STATUS_RUNNING = 1;
const TASK_SCHEDULED = 1;

interface Timestamp {
  seconds?: unknown;
  nanos?: number | null;
}

/** Newest signs of life on a task queue. Server and workers date them by different clocks. */
interface Signs {
  polledAtMs: number | null;
  /** Sent by running workers that do not shut down. */
  heartbeatAtMs: number | null;
}

interface WorkerWatchOptions {
  temporal: Client;
  taskQueue: string;
  /** Which tasks of the queue its workers poll for. */
  polls: keyof typeof TASK_TYPES;
  logger: Logger;
  now?: () => number;
}

/**
 * Checks every few seconds for workers of one task queue: pollers that Temporal knows, and worker heartbeats. A sign counts from when this
 * process saw it change, so clocks need not agree.
 */
export class WorkerWatch implements Workers {
  private readonly options: WorkerWatchOptions;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<WorkerState> | null = null;
  /** Set once any worker's heartbeat was seen. */
  private hasHeartbeats = false;
  private latest: Signs = { polledAtMs: null, heartbeatAtMs: null };
  /** When the latest sign was new. Null before the first. */
  private aliveAtMs: number | null = null;
  private toldAtMs: number | null = null;

  constructor(options: WorkerWatchOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
  }

  start(): void {
    this.timer ??= setInterval(() => void this.look(), LOOK_INTERVAL_MS).unref();
    void this.look();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  get state(): WorkerState {
    if (this.toldAtMs === null || this.now() - this.toldAtMs > SILENT_MS_MAX) return 'unknown';
    if (this.aliveAtMs === null) return 'none';
    const silentMsMax = SILENT_MS_MAX + (this.hasHeartbeats ? 0 : OPEN_POLL_MS_MAX);
    return this.now() - this.aliveAtMs <= silentMsMax ? 'up' : 'none';
  }

  look(): Promise<WorkerState> {
    this.looking ??= this.update().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  async isLeftLying(workflowId: string): Promise<boolean> {
    const { temporal } = this.options;
    try {
      const { raw } = await temporal.withDeadline(this.now() + CALL_TIMEOUT_MS, () =>
        temporal.workflow.getHandle(workflowId).describe(),
      );
      const { pendingWorkflowTask: task } = raw;
      const waitsSinceMs = millisecondsOf(task?.scheduledTime);
      if (Number(task?.state) !== TASK_SCHEDULED || waitsSinceMs === null) return false;
      const polledAtMs = await this.readPollers();
      return polledAtMs === null || polledAtMs < waitsSinceMs;
    } catch (error) {
      this.options.logger.warn({ failure: describeFailure(error) }, 'Temporal did not say who takes up an invocation');
      return false;
    }
  }

  private async update(): Promise<WorkerState> {
    try {
      const [polledAtMs, heartbeatAtMs] = await Promise.all([this.readPollers(), this.readHeartbeats()]);
      this.take({ polledAtMs, heartbeatAtMs });
    } catch (error) {
      // Logged once per failed check; if it persists, the state becomes `unknown`.
      this.options.logger.warn({ failure: describeFailure(error) }, 'Temporal did not say which workers poll');
      return this.toldAtMs === null ? 'unknown' : this.state;
    }
    return this.state;
  }

  private take(signs: Signs): void {
    const isFirst = this.toldAtMs === null;
    this.toldAtMs = this.now();
    const { polledAtMs, heartbeatAtMs } = this.latest;
    const isNew = newer(signs.polledAtMs, polledAtMs) || newer(signs.heartbeatAtMs, heartbeatAtMs);
    this.latest = signs;
    if (!isNew) return;
    // The first sign may be old. Later changes are new, whatever their clock says.
    const signedAtMs = Math.max(signs.polledAtMs ?? 0, signs.heartbeatAtMs ?? 0);
    this.aliveAtMs = isFirst ? Math.min(this.toldAtMs, signedAtMs) : this.toldAtMs;
  }

  /** Time of the last poll for such tasks. Returns null when Temporal remembers none. */
  private async readPollers(): Promise<number | null> {
    const { temporal, taskQueue, polls } = this.options;
    const { namespace } = temporal.options;
    const { pollers } = await temporal.withDeadline(this.now() + CALL_TIMEOUT_MS, () =>
      temporal.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: TASK_TYPES[polls],
      }),
    );
    return newest(pollers.map(({ lastAccessTime }) => lastAccessTime));
  }

  private async readHeartbeats(): Promise<number | null> {
    const { temporal, taskQueue } = this.options;
    const { namespace } = temporal.options;
    try {
      const { workersInfo } = await temporal.withDeadline(this.now() + CALL_TIMEOUT_MS, () =>
        temporal.workflowService.listWorkers({ namespace, query: `TaskQueue="${taskQueue}"` }),
      );
      this.hasHeartbeats ||= workersInfo.length > 0;
      const running = workersInfo.flatMap(({ workerHeartbeat }) =>
        Number(workerHeartbeat?.status) === STATUS_RUNNING ? [workerHeartbeat?.heartbeatTime] : [],
      );
      return newest(running);
    } catch (error) {
      if (isUnimplemented(error)) return null;
      throw error;
    }
  }
}

const UNIMPLEMENTED = 12;

/** Servers before 1.29, or without worker heartbeats. */
function isUnimplemented(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIMPLEMENTED;
}

function newest(times: readonly (Timestamp | null | undefined)[]): number | null {
  const known = times.map(millisecondsOf).filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function millisecondsOf(time: Timestamp | null | undefined): number | null {
  if (time === null || time === undefined) return null;
  return Number(time.seconds ?? 0) * 1_000 + (time.nanos ?? 0) / 1e6;
}

function newer(value: number | null, than: number | null): boolean {
  return value !== null && (than === null || value > than);
}
