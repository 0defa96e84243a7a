import { Piscina } from 'piscina';
import { codeOf } from '../../domain/failures.ts';
import { FairSlots } from '../../domain/fair-slots.ts';
import { outliveThreads } from '../../domain/thread-failures.ts';

/** An idle thread ends, and its memory with it: a process that has no such work holds nothing. */
const IDLE_MS = 60_000;

export interface FairThreadsOptions {
  /** For the log. */
  name: string;
  threadFile: URL;
  threads: number;
  deadlineMs: number;
  heapMbMax: number;
  youngHeapMbMax: number;
  waitingMax: number;
  waitingAWorkspaceMax: number;
  waitMsMax: number;
}

/** The thread was ended with its job, which ran over its time or its heap. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
  readonly by: 'deadline' | 'memory';

  constructor(what: string, by: 'deadline' | 'memory', cause: unknown) {
    super(by === 'deadline' ? `${what}: a job took longer than its deadline` : `${what}: a job took too much memory`, {
      cause,
    });
    this.by = by;
  }
}

/** Threads for work on what strangers wrote. Workspaces take turns, and none holds all threads where there are several. */
export class FairThreads<Job, Answer> {
  readonly #threads: Piscina<Job, Answer>;
  readonly #slots: FairSlots;
  readonly #options: FairThreadsOptions;

  constructor(options: FairThreadsOptions) {
    const { name, threadFile, threads, waitingMax, waitingAWorkspaceMax, waitMsMax } = options;
    this.#options = options;
    this.#slots = new FairSlots({
      slots: threads,
      slotsAnOwnerMax: Math.max(1, threads - 1),
      waitingMax,
      waitingAnOwnerMax: waitingAWorkspaceMax,
      waitMsMax,
    });
    this.#threads = outliveThreads(
      new Piscina<Job, Answer>({
        filename: threadFile.href,
        minThreads: 0,
        maxThreads: threads,
        idleTimeout: IDLE_MS,
        // A thread that waits on an atomic holds its event loop, and cannot be ended by its parent's exit.
        atomics: 'disabled',
        recordTiming: false,
        // The thread reads what a stranger wrote: it gets none of the process's settings.
        env: {},
        resourceLimits: {
          maxOldGenerationSizeMb: options.heapMbMax,
          maxYoungGenerationSizeMb: options.youngHeapMbMax,
        },
      }),
      name,
    );
  }

  /** @throws {NoSlotError} {ThreadEndedError} */
  run(workspaceId: string, job: Job): Promise<Answer> {
    return this.#slots.run(workspaceId, () => this.#answer(job));
  }

  /**
   * `prepare` runs once it is this workspace's turn. Null where it answers null: there is no job for these threads.
   *
   * @throws {NoSlotError} {ThreadEndedError} what `prepare` throws.
   */
  runPrepared(workspaceId: string, prepare: () => Promise<Job | null>): Promise<Answer | null> {
    return this.#slots.run(workspaceId, async () => {
      const job = await prepare();
      return job === null ? null : this.#answer(job);
    });
  }

  /** Ends the threads; their unanswered jobs are refused. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#threads.destroy();
  }

  async #answer(job: Job): Promise<Answer> {
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(), this.#options.deadlineMs);
    try {
      return await this.#threads.run(job, { signal: ended.signal });
    } catch (error) {
      if (ended.signal.aborted) throw new ThreadEndedError(this.#options.name, 'deadline', error);
      const isOutOfMemory = error instanceof Error && codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isOutOfMemory) throw new ThreadEndedError(this.#options.name, 'memory', error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
