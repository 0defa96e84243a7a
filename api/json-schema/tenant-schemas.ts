import { availableParallelism } from 'node:os';
import { digestOf } from '../../domain/canonical-json.ts';
import { ServiceError, type Issue } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { cheapWeight, isCheapFor } from '../../domain/json-schema/cost.ts';
import { compiledSchema, compileSchema } from '../../domain/json-schema/json-schema.ts';
import { Turns } from '../../domain/turns.ts';
import { NoSlotError } from '../../domain/fair-slots.ts';
import { FairThreads, ThreadEndedError } from '../threads/fair-threads.ts';
import type { SchemaAnswer, SchemaJob } from './schema-job.ts';

/** Two, so that one busy workspace leaves another thread. */
const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** For a compiler and some hundred compiled schemas; the worst of 64 KiB takes a fifth. */
const HEAP_MB_MAX = 128;
const YOUNG_HEAP_MB_MAX = 16;
/** Validation is bounded to 0.5 s (domain/json-schema), compiling the worst schema takes 2 s, a thread's start 0.3 s. */
const DEADLINE_MS = 8_000;
const WAITING_MAX = 200;
const WAITING_A_WORKSPACE_MAX = 50;
const WAIT_MS_MAX = 20_000;

export interface TenantSchemasOptions {
  threadFile?: () => URL;
  threadsMax?: number;
  deadlineMs?: number;
  heapMbMax?: number;
  waitingMax?: number;
  waitingAWorkspaceMax?: number;
  waitMsMax?: number;
}

/**
 * Runs tenants' JSON Schemas. Their cost is the tenant's choice, so they run in threads, in turn by workspace, with a deadline and a heap
 * limit. Only statically cheap validations (domain/json-schema/cost.ts), which are most, run on the event loop.
 */
export class TenantSchemas {
  readonly #threads: FairThreads<SchemaJob, SchemaAnswer>;
  readonly #turns = new Turns((run) => setImmediate(run));

  constructor(options: TenantSchemasOptions = {}) {
    this.#threads = new FairThreads({
      name: 'schemas',
      threadFile: options.threadFile?.() ?? new URL('schema-thread.js', import.meta.url),
      threads: options.threadsMax ?? Math.max(THREADS_MIN, Math.min(THREADS_MAX, availableParallelism())),
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      heapMbMax: options.heapMbMax ?? HEAP_MB_MAX,
      youngHeapMbMax: YOUNG_HEAP_MB_MAX,
      waitingMax: options.waitingMax ?? WAITING_MAX,
      waitingAWorkspaceMax: options.waitingAWorkspaceMax ?? WAITING_A_WORKSPACE_MAX,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
    });
  }

  /** Returns the mistakes of a schema to be stored. @throws {ServiceError} SERVICE_UNAVAILABLE when too many wait. */
  check(workspaceId: string, schema: JsonObject, path: string): Promise<Issue[]> {
    return this.#inThread(workspaceId, { kind: 'check', schema, path }, path);
  }

  /** Returns the mistakes of an input. @throws {ServiceError} SERVICE_UNAVAILABLE when too many wait. */
  async validate(workspaceId: string, schema: JsonObject, value: Json): Promise<Issue[]> {
    if (this.fitsAtOnce(schema, value)) return [];
    if (await this.#compileWhereCheap(workspaceId, schema)) {
      if (this.fitsAtOnce(schema, value)) return [];
    }
    return this.#inThread(workspaceId, { kind: 'validate', schema, value }, 'input');
  }

  /** Returns true when validation is cheap, the schema is compiled and the value fits. Otherwise call `validate`. */
  fitsAtOnce(schema: JsonObject, value: Json): boolean {
    const weight = cheapWeight(schema);
    if (weight === null) return false;
    const compiled = compiledSchema(digestOf(schema));
    if (compiled === null || !isCheapFor(weight + compiled.patternInstructions, value)) return false;
    return compiled.fitsAtOnce(value);
  }

  /** Refuses unanswered jobs. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Whether the schema was compiled now, in at most 15 ms. */
  async #compileWhereCheap(workspaceId: string, schema: JsonObject): Promise<boolean> {
    if (cheapWeight(schema) === null) return false;
    const digest = digestOf(schema);
    if (compiledSchema(digest) !== null) return false;
    await this.#turns.take(workspaceId);
    compileSchema(schema, digest);
    return true;
  }

  async #inThread(workspaceId: string, job: SchemaJob, path: string): Promise<Issue[]> {
    try {
      return await this.#threads.run(workspaceId, job);
    } catch (error) {
      if (error instanceof NoSlotError) throw tooMany(error);
      if (error instanceof ThreadEndedError) return [{ path, message: TOO_COSTLY[job.kind] }];
      throw error;
    }
  }
}

const TOO_COSTLY: Readonly<Record<SchemaJob['kind'], string>> = {
  check: 'is too costly: checking it takes more time or memory than a schema may; make it smaller',
  validate:
    "cannot be validated: the action's inputSchema takes more time or memory on it than a schema may; send a smaller input, or make the schema simpler",
};

function tooMany(cause: NoSlotError): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message: 'Too many costly JSON Schemas are being run. Send it again with the same Idempotency-Key.',
    log: cause.message,
    cause,
  });
}
