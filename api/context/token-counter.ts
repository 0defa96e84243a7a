import { Piscina } from 'piscina';
import type { AssembledContext, ContextRequest } from '../../domain/context/assemble.ts';
import { ServiceError } from '../../domain/errors.ts';
import { codeOf } from '../../domain/failures.ts';
import { FairSlots, NoSlotError } from '../../domain/fair-slots.ts';
import type { TokenAnswer, TokenJob } from './token-job.ts';

/** A job takes some milliseconds, and a thread holds the whole encoding: one is enough. */
const THREADS = 1;
/** The encoding, its cache, and the largest request. */
const HEAP_MB_MAX = 256;
const YOUNG_HEAP_MB_MAX = 32;
/** A thread starts and loads the encoding in well under a second; 1 MiB of the worst text takes about one. */
const DEADLINE_MS = 15_000;
/** An idle thread ends, and its memory with it: a process that counts nothing holds nothing. */
const IDLE_MS = 60_000;
const WAITING_MAX = 500;
const WAITING_A_WORKSPACE_MAX = 100;
const WAIT_MS_MAX = 20_000;

export interface TokenCounterOptions {
  /** The module that the thread runs; beside this one where it is left out. */
  threadFile?: () => URL;
  deadlineMs?: number;
  waitMsMax?: number;
  waitingAWorkspaceMax?: number;
}

/**
 * Counts tokens as o200k_base does, and assembles contexts within a budget of them, in a thread: the encoding takes tens of megabytes
 * only while it is used, and a long text delays no other request. Workspaces take turns.
 */
export class TokenCounter {
  readonly #threads: Piscina<TokenJob, TokenAnswer>;
  readonly #slots: FairSlots;
  readonly #deadlineMs: number;

  constructor(options: TokenCounterOptions = {}) {
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#slots = new FairSlots({
      slots: THREADS,
      slotsAnOwnerMax: THREADS,
      waitingMax: WAITING_MAX,
      waitingAnOwnerMax: options.waitingAWorkspaceMax ?? WAITING_A_WORKSPACE_MAX,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    });
    this.#threads = new Piscina<TokenJob, TokenAnswer>({
      filename: (options.threadFile?.() ?? new URL('token-thread.js', import.meta.url)).href,
      minThreads: 0,
      maxThreads: THREADS,
      idleTimeout: IDLE_MS,
      // A thread that waits on an atomic holds its event loop, and cannot be ended by its parent's exit.
      atomics: 'disabled',
      recordTiming: false,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
    });
  }

  /**
   * The tokens of each text.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait.
   */
  async count(workspaceId: string, texts: readonly string[]): Promise<number[]> {
    const answer = await this.#inThread(workspaceId, () => Promise.resolve({ kind: 'count', texts }));
    if (answer.kind !== 'count') throw new Error('the token thread answered another job');
    return answer.counts;
  }

  /**
   * `read` runs once it is this workspace's turn: whoever waits holds no messages.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait; whatever `read` throws.
   */
  async assemble(workspaceId: string, read: () => Promise<ContextRequest>): Promise<AssembledContext> {
    const answer = await this.#inThread(workspaceId, async () => ({ kind: 'assemble', request: await read() }));
    if (answer.kind !== 'assemble') throw new Error('the token thread answered another job');
    return answer.context;
  }

  /** Ends the thread; its unanswered jobs are refused. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#threads.destroy();
  }

  async #inThread(workspaceId: string, prepare: () => Promise<TokenJob>): Promise<TokenAnswer> {
    const ended = new AbortController();
    try {
      return await this.#slots.run(workspaceId, async () => {
        const job = await prepare();
        const timer = setTimeout(() => ended.abort(), this.#deadlineMs);
        try {
          return await this.#threads.run(job, { signal: ended.signal });
        } finally {
          clearTimeout(timer);
        }
      });
    } catch (error) {
      const isTooLarge = error instanceof Error && codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!(error instanceof NoSlotError) && !ended.signal.aborted && !isTooLarge) throw error;
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: 'Too much text is waiting to be counted. Send it again with the same Idempotency-Key.',
        log: logOf(error, isTooLarge),
        cause: error,
      });
    }
  }
}

function logOf(error: unknown, isTooLarge: boolean): string {
  if (error instanceof NoSlotError) return error.message;
  return isTooLarge ? 'a token job took more memory than its thread has' : 'a token job took longer than its deadline';
}
