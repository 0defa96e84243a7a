import type { AssembledContext, ContextRequest } from '../../domain/context/assemble.ts';
import { ServiceError } from '../../domain/errors.ts';
import { NoSlotError } from '../../domain/fair-slots.ts';
import { FairThreads, ThreadEndedError } from './fair-threads.ts';
import type { TokenAnswer, TokenJob } from './token-job.ts';

/** A thread starts and loads the encoding in well under a second; 1 MiB of the worst text takes about one. */
const DEADLINE_MS = 15_000;
/** A small job that exceeds this time is restarted in the lane of large jobs; small jobs are not blocked. */
const SMALL_DEADLINE_MS = 2_000;
const WAIT_MS_MAX = 20_000;
/** Each lane has one thread, which holds the whole encoding, its cache, and the largest request. */
const LANE = { name: 'token counter', threads: 1, heapMbMax: 256, youngHeapMbMax: 32 };
/** A larger job goes to the lane of large jobs: it may take seconds, and no small job waits for it. */
export const SMALL_JOB_BYTES_MAX = 64 * 1024;
const SMALL_WAITING = { waitingMax: 500, waitingAWorkspaceMax: 100 };
/** Texts that wait to be counted are held: these are of up to 1 MiB each. */
const LARGE_WAITING = { waitingMax: 100, waitingAWorkspaceMax: 50 };

type TokenLane = FairThreads<TokenJob, TokenAnswer>;

export interface TokenCounterOptions {
  /** The module that the thread of a lane runs; beside this one where it is left out. */
  threadFile?: (lane: 'small' | 'large') => URL;
  deadlineMs?: number;
  smallDeadlineMs?: number;
  waitMsMax?: number;
}

/**
 * Counts tokens as o200k_base does, and assembles contexts within a budget of them, in threads: the encoding takes tens of megabytes
 * only while it is used, and a long text delays no other request. Small jobs and large ones have a thread each; that of the large ones
 * starts with the first of them. In both, workspaces take turns.
 */
export class TokenCounter {
  readonly #small: TokenLane;
  readonly #large: TokenLane;

  constructor(options: TokenCounterOptions = {}) {
    const { deadlineMs = DEADLINE_MS, smallDeadlineMs = SMALL_DEADLINE_MS, waitMsMax = WAIT_MS_MAX } = options;
    const { threadFile = () => new URL('token-thread.js', import.meta.url) } = options;
    const small = { threadFile: threadFile('small'), deadlineMs: smallDeadlineMs };
    this.#small = new FairThreads({ ...LANE, ...small, waitMsMax, ...SMALL_WAITING });
    const large = { threadFile: threadFile('large'), deadlineMs };
    this.#large = new FairThreads({ ...LANE, ...large, waitMsMax, ...LARGE_WAITING });
  }

  /**
   * The tokens of each text.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait.
   */
  async count(workspaceId: string, texts: readonly string[]): Promise<number[]> {
    const isLarge = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > SMALL_JOB_BYTES_MAX;
    const prepare = (): Promise<TokenJob> => Promise.resolve({ kind: 'count', texts });
    const small = isLarge ? null : await inLane(this.#small, workspaceId, prepare, { isSmall: true });
    const answer = small ?? (await inLane(this.#large, workspaceId, prepare));
    if (answer?.kind !== 'count') throw new Error('the token thread answered another job');
    return answer.counts;
  }

  /**
   * `read` runs once it is this workspace's turn, so a waiting job holds no messages. It answers null if there are more than `bytesMax`.
   * Then, or if the small job took too long, it is called again, for everything, in the lane of large jobs.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait; whatever `read` throws.
   */
  async assemble(
    workspaceId: string,
    read: (bytesMax: number) => Promise<ContextRequest | null>,
  ): Promise<AssembledContext> {
    const prepare = async (bytesMax: number): Promise<TokenJob | null> => {
      const request = await read(bytesMax);
      return request === null ? null : { kind: 'assemble', request };
    };
    const answer =
      (await inLane(this.#small, workspaceId, () => prepare(SMALL_JOB_BYTES_MAX), { isSmall: true })) ??
      (await inLane(this.#large, workspaceId, () => prepare(Infinity)));
    if (answer?.kind !== 'assemble') throw new Error('the token thread answered another job');
    return answer.context;
  }

  /** Ends the threads; their unanswered jobs are refused. */
  async close(): Promise<void> {
    await Promise.all([this.#small.close(), this.#large.close()]);
  }
}

/** Null where `prepare` answers null; in the small lane also where the job takes too long: it is one for the lane of large jobs. */
async function inLane(
  lane: TokenLane,
  workspaceId: string,
  prepare: () => Promise<TokenJob | null>,
  { isSmall = false } = {},
): Promise<TokenAnswer | null> {
  try {
    return await lane.runPrepared(workspaceId, prepare);
  } catch (error) {
    if (isSmall && error instanceof ThreadEndedError && error.by === 'deadline') return null;
    throw refusalOf(error);
  }
}

/** What the caller is told of a job that had no turn, or did not end in its thread; any other error stays what it is. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof NoSlotError) && !(error instanceof ThreadEndedError)) return error;
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message: 'Too much text is waiting to be counted. Send it again with the same Idempotency-Key.',
    log: error.message,
    cause: error,
  });
}
