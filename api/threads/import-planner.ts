import { Worker } from 'node:worker_threads';
import { ServiceError, validationError } from '../../domain/errors.ts';
import { type Upload, Uploads } from './uploads.ts';
import { FairSlots, NoSlotError } from '../../domain/fair-slots.ts';
import type { ImportAnswer, ImportJob } from './import-job.ts';

/** Far above what the largest document takes (domain/openapi-import/limits.ts): the last of several bounds. */
const HEAP_MB_MAX = 768;
const YOUNG_HEAP_MB_MAX = 64;
const TIME_MS_MAX = 60_000;
const WAITING_MAX = 8;
const WAITING_A_WORKSPACE_MAX = 2;
const WAIT_MS_MAX = 30_000;
/** Each holds a body of up to 20 MiB. */
const UPLOADS_A_WORKSPACE_MAX = 3;
const UPLOAD_BYTES_MAX = 8 * 20 * 1_048_576;

export interface ImportPlannerOptions {
  /** The module that the thread runs; beside this one where it is left out. */
  threadFile?: () => URL;
  timeMsMax?: number;
  heapMbMax?: number;
  waitingMax?: number;
  waitingAWorkspaceMax?: number;
  uploadsAWorkspaceMax?: number;
  uploadBytesMax?: number;
  waitMsMax?: number;
}

/**
 * Reads OpenAPI descriptions in threads: one import at a time. A few wait, in turn by workspace; the rest must try again later. A
 * thread has its own heap limit and deadline and ends with its import, so that no document can take the service down. A turn is
 * requested when the body has arrived, so that a slow upload never holds up another workspace.
 */
export class ImportPlanner {
  private readonly options: ImportPlannerOptions;
  private readonly workers = new Set<Worker>();
  private readonly slots: FairSlots;
  private readonly uploads: Uploads;
  private isClosed = false;

  constructor(options: ImportPlannerOptions = {}) {
    this.options = options;
    this.slots = new FairSlots({
      slots: 1,
      slotsAnOwnerMax: 1,
      waitingMax: options.waitingMax ?? WAITING_MAX,
      waitingAnOwnerMax: options.waitingAWorkspaceMax ?? WAITING_A_WORKSPACE_MAX,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    });
    this.uploads = new Uploads({
      aWorkspaceMax: options.uploadsAWorkspaceMax ?? UPLOADS_A_WORKSPACE_MAX,
      bytesMax: options.uploadBytesMax ?? UPLOAD_BYTES_MAX,
      refusal: tooMany,
    });
  }

  /**
   * The body of one request, before it is read.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where the workspace sends as many as it may.
   */
  openUpload(workspaceId: string): Upload {
    return this.uploads.open(workspaceId);
  }

  /**
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many imports wait; VALIDATION_ERROR for what the job's document does
   * wrong, and where it needs more time or memory than an import may take.
   */
  async run<Kind extends ImportJob['kind']>(
    workspaceId: string,
    job: Extract<ImportJob, { kind: Kind }>,
  ): Promise<Extract<ImportAnswer, { kind: Kind }>> {
    const answer = await this.inTurn(workspaceId, () => this.inThread(job));
    if (answer.kind === 'refused') {
      const { code, message, details } = answer;
      throw new ServiceError(code, { message, ...(details === undefined ? {} : { details }) });
    }
    return answer as Extract<ImportAnswer, { kind: Kind }>;
  }

  /** Ends the threads; their unanswered jobs are refused. */
  close(): void {
    this.isClosed = true;
    this.slots.close();
    for (const worker of this.workers) void worker.terminate();
  }

  private async inTurn(workspaceId: string, work: () => Promise<ImportAnswer>): Promise<ImportAnswer> {
    try {
      return await this.slots.run(workspaceId, work);
    } catch (error) {
      if (error instanceof NoSlotError) throw tooMany();
      throw error;
    }
  }

  private async inThread(job: ImportJob): Promise<ImportAnswer> {
    // A separate copy of exactly these bytes: it is transferred to the thread, and Node's buffers share larger ones.
    const bytes = new Uint8Array(job.bytes);
    const worker = new Worker(
      this.options.threadFile?.() ?? new URL('../actions/import/import-thread.js', import.meta.url),
      {
        name: 'import',
        workerData: { ...job, bytes },
        transferList: [bytes.buffer],
        // The thread reads a stranger's document: it gets none of the process's settings.
        env: {},
        resourceLimits: {
          maxOldGenerationSizeMb: this.options.heapMbMax ?? HEAP_MB_MAX,
          maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX,
        },
      },
    );
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
