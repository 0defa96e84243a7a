import { Worker } from 'node:worker_threads';
import { ServiceError, validationError } from '../../../domain/errors.ts';
import type { ImportAnswer, ImportJob } from './import-job.ts';

/** Far above what the largest document takes (domain/openapi-import/limits.ts): the last of several bounds. */
const HEAP_MB_MAX = 768;
const YOUNG_HEAP_MB_MAX = 64;
const TIME_MS_MAX = 60_000;
const WAITING_MAX = 4;
/** Each holds a body of up to 20 MiB, from its first byte on. */
const REQUESTS_MAX = 8;
const WAIT_MS_MAX = 30_000;

export interface ImportPlannerOptions {
  /** The module that the thread runs; beside this one where it is left out. */
  threadFile?: () => URL;
  timeMsMax?: number;
  heapMbMax?: number;
  waitingMax?: number;
  requestsMax?: number;
  waitMsMax?: number;
}

/**
 * Reads OpenAPI descriptions in threads: one import at a time, a few wait, the rest are told to come again. A thread has a heap
 * and a time of its own and ends with its import, so that no document takes the service along, however it was made.
 */
export class ImportPlanner {
  private readonly options: ImportPlannerOptions;
  private readonly waiting: ((granted: boolean) => void)[] = [];
  private readonly workers = new Set<Worker>();
  private requests = 0;
  private isBusy = false;
  private isClosed = false;

  constructor(options: ImportPlannerOptions = {}) {
    this.options = options;
  }

  /**
   * A place for one request, before its body is read: what uploads hold in memory is bounded with it. Call what it gives back
   * once, when the request is answered.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where all are taken.
   */
  admit(): () => void {
    if (this.requests >= (this.options.requestsMax ?? REQUESTS_MAX)) throw tooMany();
    this.requests++;
    return () => {
      this.requests--;
    };
  }

  /**
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many imports wait; VALIDATION_ERROR for what the job's document does
   * wrong, and where it needs more time or memory than an import may take.
   */
  async run<Kind extends ImportJob['kind']>(
    job: Extract<ImportJob, { kind: Kind }>,
  ): Promise<Extract<ImportAnswer, { kind: Kind }>> {
    await this.turn();
    try {
      // It may have been closed since the turn was given.
      if (this.isClosed) throw tooMany();
      const answer = await this.inThread(job);
      if (answer.kind === 'refused') {
        const { code, message, details } = answer;
        throw new ServiceError(code, { message, ...(details === undefined ? {} : { details }) });
      }
      return answer as Extract<ImportAnswer, { kind: Kind }>;
    } finally {
      this.endTurn();
    }
  }

  /** Ends the threads; what they were to answer is refused. */
  close(): void {
    this.isClosed = true;
    for (const worker of this.workers) void worker.terminate();
    for (const wake of this.waiting.splice(0)) wake(false);
  }

  private async turn(): Promise<void> {
    if (this.isClosed) throw tooMany();
    if (!this.isBusy) {
      this.isBusy = true;
      return;
    }
    if (this.waiting.length >= (this.options.waitingMax ?? WAITING_MAX)) throw tooMany();
    const isGranted = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(wake), 1);
        resolve(false);
      }, this.options.waitMsMax ?? WAIT_MS_MAX);
      const wake = (granted: boolean): void => {
        clearTimeout(timer);
        resolve(granted);
      };
      this.waiting.push(wake);
    });
    if (!isGranted) throw tooMany();
  }

  /** Hands the turn over to who waits longest, so that nobody comes between. */
  private endTurn(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.isBusy = false;
    else next(true);
  }

  private async inThread(job: ImportJob): Promise<ImportAnswer> {
    // A copy of its own, of exactly these bytes: it is handed over, and Node's buffers share larger ones.
    const bytes = new Uint8Array(job.bytes);
    const worker = new Worker(this.options.threadFile?.() ?? new URL('import-thread.js', import.meta.url), {
      name: 'import',
      workerData: { ...job, bytes },
      transferList: [bytes.buffer],
      // Nothing of the process's settings is for the reader of a stranger's document.
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: this.options.heapMbMax ?? HEAP_MB_MAX,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX,
      },
    });
    this.workers.add(worker);
    try {
      return await this.answerOf(worker);
    } finally {
      await worker.terminate();
      this.workers.delete(worker);
    }
  }

  private answerOf(worker: Worker): Promise<ImportAnswer> {
    return new Promise<ImportAnswer>((resolve, reject) => {
      const timer = setTimeout(() => reject(tooLong()), this.options.timeMsMax ?? TIME_MS_MAX);
      worker.once('message', resolve);
      worker.once('error', (error: Error & { code?: string }) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooHeavy() : error),
      );
      worker.once('exit', (code) => {
        clearTimeout(timer);
        reject(this.isClosed ? tooMany() : new Error(`the import thread ended with ${code} and no answer`));
      });
    });
  }
}

function tooMany(): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message: 'Other imports are being read. Send it again in a minute with the same Idempotency-Key.',
  });
}

function tooLong(): ServiceError {
  const message = 'takes too long to read; name some of its operations in body.operations, or send a smaller document';
  return validationError([{ path: 'body', message }]);
}

function tooHeavy(): ServiceError {
  return validationError([
    { path: 'body', message: 'needs more memory than an import may take; send a smaller document' },
  ]);
}
