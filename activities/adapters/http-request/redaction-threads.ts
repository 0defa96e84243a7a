import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { Deadline } from '../../../domain/deadline.ts';
import { FairSlots } from '../../../domain/fair-slots.ts';
import type { Json } from '../../../domain/json.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import { outliveThreads } from '../../../domain/thread-failures.ts';
import { workspaceOfCall } from '../watchdog.ts';
import type { RawResponse } from './exchange.ts';
import { nothingKept, type ReadResponse } from './read-response.ts';
import { isQuick } from './redaction-cost.ts';
import { redact, type KeptBytes, type RedactionAnswer, type RedactionAnswers } from './redaction-job.ts';
import type { RedactionJob, RedactionWork } from './redaction-job.ts';

/** At least two, so that a workspace that keeps one busy leaves another. */
const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** The largest response, parsed, written out and searched. */
const HEAP_MB_MAX = 512;
const IDLE_MS = 60_000;
/** Together they stay well under the grace of the watchdog, which counts a call that ends later as unknown. */
const DEADLINE_MS = 12_000;
const WAIT_MS_MAX = 8_000;
const WAITING_MAX = 500;
const WAITING_A_WORKSPACE_MAX = 100;
/** Searches outside of any workspace's call. */
const NOBODY = '';

export interface RedactionThreadsOptions {
  /** The module that the threads run; beside this one where it is left out. */
  threadFile?: () => URL;
  deadlineMs?: number;
  waitMsMax?: number;
}

export interface RedactionCall {
  secrets: readonly string[];
  /** Whose search it is. By default the workspace of the watched call. */
  workspaceId?: string;
  /** Ends the wait and the search. */
  signal?: AbortSignal;
}

/**
 * Searches what targets answer for credentials. A tenant chooses both the secret and the target, so it decides how long a search takes:
 * up to minutes. Only a quick one (redaction-cost.ts) runs on the event loop, where heartbeats are due. Others run in threads, in turn by
 * workspace and with a deadline. A search that fails never throws, because the request was sent: nothing is kept then but the status.
 */
export class RedactionThreads {
  readonly #options: RedactionThreadsOptions;
  readonly #slots: FairSlots;
  readonly #threadsMax = Math.max(THREADS_MIN, Math.min(THREADS_MAX, availableParallelism()));
  #threads: Piscina<RedactionJob, RedactionAnswer> | null = null;

  constructor(options: RedactionThreadsOptions = {}) {
    this.#options = options;
    this.#slots = new FairSlots({
      slots: this.#threadsMax,
      slotsAnOwnerMax: this.#threadsMax - 1,
      waitingMax: WAITING_MAX,
      waitingAnOwnerMax: WAITING_A_WORKSPACE_MAX,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    });
  }

  /** The stored form of a response, as `readResponse` makes it. */
  async response(raw: RawResponse, call: RedactionCall): Promise<ReadResponse> {
    const read = await this.#answer({ kind: 'response', raw }, call);
    return read ?? { response: nothingKept(raw.status), unreadable: null };
  }

  /** The headers and the body of an answer whose body is kept as bytes. */
  async bytes(work: Omit<Extract<RedactionWork, { kind: 'bytes' }>, 'kind'>, call: RedactionCall): Promise<KeptBytes> {
    const kept = await this.#answer({ kind: 'bytes', ...work }, call);
    return kept ?? { headers: {}, body: work.body && Buffer.from(REDACTED) };
  }

  /** A message of ours, which may quote an address that holds a credential. */
  async text(text: string, call: RedactionCall): Promise<string> {
    const [redacted = REDACTED] = await this.texts([text], call);
    return redacted;
  }

  async texts(texts: readonly string[], call: RedactionCall): Promise<readonly string[]> {
    return (await this.#answer({ kind: 'texts', texts }, call)) ?? texts.map(() => REDACTED);
  }

  /** Null where it could not be searched: then nothing of it may be kept. */
  json(value: Json, call: RedactionCall): Promise<{ value: Json } | null> {
    return this.#answer({ kind: 'json', value }, call);
  }

  /** How many threads there are. Searches that are quick start none. */
  get threads(): number {
    return this.#threads?.threads.length ?? 0;
  }

  /** Ends the threads. Searches that wait keep nothing. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#threads?.destroy();
  }

  async #answer<Kind extends RedactionWork['kind']>(
    work: Extract<RedactionWork, { kind: Kind }>,
    call: RedactionCall,
  ): Promise<RedactionAnswers[Kind] | null> {
    const { secrets } = call;
    if (isQuick(work, secrets)) return redact({ work, secrets }) as RedactionAnswers[Kind];
    const workspaceId = call.workspaceId ?? workspaceOfCall() ?? NOBODY;
    try {
      const inThread = () => this.#runWithDeadline({ work, secrets }, call.signal);
      return (await this.#slots.run(workspaceId, inThread, call.signal)) as RedactionAnswers[Kind];
    } catch (error) {
      process.emitWarning(
        `An answer of workspace ${workspaceId} could not be searched for credentials, so nothing of it is kept: ${reasonOf(error)}`,
      );
      return null;
    }
  }

  async #runWithDeadline(job: RedactionJob, signal: AbortSignal | undefined): Promise<RedactionAnswer> {
    using deadline = new Deadline(this.#options.deadlineMs ?? DEADLINE_MS, ...(signal === undefined ? [] : [signal]));
    // Awaited here: the deadline is disposed of as soon as this function returns.
    return await this.#running().run(job, { signal: deadline.signal });
  }

  #running(): Piscina<RedactionJob, RedactionAnswer> {
    this.#threads ??= outliveThreads(
      new Piscina<RedactionJob, RedactionAnswer>({
        filename: (this.#options.threadFile?.() ?? new URL('redaction-thread.js', import.meta.url)).href,
        minThreads: 0,
        maxThreads: this.#threadsMax,
        idleTimeout: IDLE_MS,
        // A thread that waits on an atomic holds its event loop, and cannot be ended by its parent's exit.
        atomics: 'disabled',
        recordTiming: false,
        // It searches a stranger's answer and needs none of the process's settings.
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      }),
      'redaction',
    );
    return this.#threads;
  }
}

/** The name and the code alone: a message may quote what was searched. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  if (error.name === 'AbortError') return 'its time was over, or its call had ended';
  return 'code' in error ? `${error.name} (${String(error.code)})` : error.name;
}
