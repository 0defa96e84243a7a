import { availableParallelism } from 'node:os';
import { ServiceError, validationError } from '../../domain/errors.ts';
import { NoSlotError } from '../../domain/fair-slots.ts';
import type { BodyAnswer, BodyJob } from './body-job.ts';
import { FairThreads, ThreadEndedError } from './fair-threads.ts';

/** At least two, so that a workspace that keeps one busy leaves another. */
const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** The worst body of 4 MiB takes a third of it. */
const HEAP_MB_MAX = 256;
const YOUNG_HEAP_MB_MAX = 32;
/** The worst body takes a second of a quiet machine. */
const DEADLINE_MS = 15_000;
/** The bodies that wait are held; their bytes are bounded by `LARGE_BODIES`. */
const WAITING_MAX = 200;
const WAITING_A_WORKSPACE_MAX = 50;
const WAIT_MS_MAX = 20_000;

export interface BodyThreadsOptions {
  /** The module that the threads run; beside this one where it is left out. */
  threadFile?: () => URL;
  threadsMax?: number;
  deadlineMs?: number;
  waitMsMax?: number;
}

/**
 * Parses, checks and digests bodies that are so large that all other requests would wait for it. In threads, in turn by workspace: a
 * workspace never holds all of them.
 */
export class BodyThreads {
  readonly #threads: FairThreads<BodyJob, BodyAnswer>;

  constructor(options: BodyThreadsOptions = {}) {
    this.#threads = new FairThreads({
      name: 'large bodies',
      threadFile: options.threadFile?.() ?? new URL('../body-thread.js', import.meta.url),
      threads: options.threadsMax ?? Math.max(THREADS_MIN, Math.min(THREADS_MAX, availableParallelism())),
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      heapMbMax: HEAP_MB_MAX,
      youngHeapMbMax: YOUNG_HEAP_MB_MAX,
      waitingMax: WAITING_MAX,
      waitingAWorkspaceMax: WAITING_A_WORKSPACE_MAX,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    });
  }

  /**
   * @throws {ServiceError} what is wrong with the body, also where it takes more time or memory than a body may; SERVICE_UNAVAILABLE where
   * too many wait.
   */
  async run<Kind extends BodyJob['kind']>(
    workspaceId: string,
    job: Extract<BodyJob, { kind: Kind }>,
  ): Promise<Extract<BodyAnswer, { kind: Kind }>> {
    const answer = await this.#inTurn(workspaceId, job);
    if (answer.kind === 'refused') {
      const { code, message, details } = answer;
      throw new ServiceError(code, { message, ...(details === undefined ? {} : { details }) });
    }
    return answer as Extract<BodyAnswer, { kind: Kind }>;
  }

  /** Ends the threads; their unanswered jobs are refused. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  async #inTurn(workspaceId: string, job: BodyJob): Promise<BodyAnswer> {
    try {
      return await this.#threads.run(workspaceId, job);
    } catch (error) {
      if (error instanceof ThreadEndedError) {
        const message = 'takes more time or memory to read than a body may; send less at once';
        throw validationError([{ path: 'body', message }]);
      }
      if (!(error instanceof NoSlotError)) throw error;
      const message = 'Too many large requests are being read. Nothing was stored. Send this one again in a moment.';
      throw new ServiceError('SERVICE_UNAVAILABLE', { message, log: error.message, cause: error });
    }
  }
}
