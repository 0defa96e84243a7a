import { Piscina } from 'piscina';
import { FairSlots } from '../../domain/fair-slots.ts';
import { outliveThreads } from '../../domain/thread-failures.ts';
import type { TokenAnswer, TokenJob } from './token-job.ts';

/** A thread holds the whole encoding, so a lane has one. */
const THREADS = 1;
/** The encoding, its cache, and the largest request. */
const HEAP_MB_MAX = 256;
const YOUNG_HEAP_MB_MAX = 32;
/** An idle thread ends, and its memory with it: a process that counts nothing holds nothing. */
const IDLE_MS = 60_000;

export interface TokenLaneOptions {
  threadFile: URL;
  deadlineMs: number;
  waitMsMax: number;
  waitingMax: number;
  waitingAWorkspaceMax: number;
}

/** The deadline of a job passed. The thread was ended with it. */
export class TokenDeadlineError extends Error {
  override readonly name = 'TokenDeadlineError';
}

/** One token thread and the jobs that wait for it. Workspaces take turns. */
export class TokenLane {
  readonly #threads: Piscina<TokenJob, TokenAnswer>;
  readonly #slots: FairSlots;
  readonly #deadlineMs: number;

  constructor({ threadFile, deadlineMs, waitMsMax, waitingMax, waitingAWorkspaceMax }: TokenLaneOptions) {
    this.#deadlineMs = deadlineMs;
    this.#slots = new FairSlots({
      slots: THREADS,
      slotsAnOwnerMax: THREADS,
      waitingMax,
      waitingAnOwnerMax: waitingAWorkspaceMax,
      waitMsMax,
    });
    this.#threads = outliveThreads(
      new Piscina<TokenJob, TokenAnswer>({
        filename: threadFile.href,
        minThreads: 0,
        maxThreads: THREADS,
        idleTimeout: IDLE_MS,
        // A thread that waits on an atomic holds its event loop, and cannot be ended by its parent's exit.
        atomics: 'disabled',
        recordTiming: false,
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
      }),
      'token counter',
    );
  }

  /**
   * `prepare` runs once it is this workspace's turn. Null where it answers null: there is no job for this lane.
   *
   * @throws {NoSlotError} {TokenDeadlineError} what the thread ends by; whatever `prepare` throws.
   */
  async run(workspaceId: string, prepare: () => Promise<TokenJob | null>): Promise<TokenAnswer | null> {
    return this.#slots.run(workspaceId, async () => {
      const job = await prepare();
      if (job === null) return null;
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(), this.#deadlineMs);
      try {
        return await this.#threads.run(job, { signal: ended.signal });
      } catch (error) {
        throw ended.signal.aborted ? new TokenDeadlineError('a token job took longer than its deadline') : error;
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** Ends the thread; its unanswered jobs are refused. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#threads.destroy();
  }
}
