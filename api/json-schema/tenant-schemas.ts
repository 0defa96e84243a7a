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

/** At least two, so that a workspace that keeps one busy leaves another. */
const THREADS_MIN = 2;
const THREADS_MAX = 4;
/** A compiler and some hundred compiled schemas; the worst of 64 KiB takes a fifth. */
const HEAP_MB_MAX = 128;
const YOUNG_HEAP_MB_MAX = 16;
/** The validation's own bound is 0.5 s (domain/json-schema); compiling the worst schema takes 2 s, a thread starts in 0.3 s. */
const DEADLINE_MS = 8_000;
const WAITING_MAX = 200;
const WAITING_A_WORKSPACE_MAX = 50;
const WAIT_MS_MAX = 20_000;

export interface TenantSchemasOptions {
  /** The module that the threads run; beside this one where it is left out. */
  threadFile?: () => URL;
  threadsMax?: number;
  deadlineMs?: number;
  heapMbMax?: number;
  waitingMax?: number;
  waitingAWorkspaceMax?: number;
  waitMsMax?: number;
}

/**
 * Runs the JSON Schemas that tenants write. A schema decides how long compiling and validating take. They therefore run in
 * threads, in turn by workspace, with their own deadline and heap limit. Only validations that are cheap by a static bound
 * (domain/json-schema/cost.ts) run on the event loop: most inputs of most actions.
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

  /**
   * The mistakes of a schema that a tenant wants to keep; always checked in a thread.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait.
   */
  check(workspaceId: string, schema: JsonObject, path: string): Promise<Issue[]> {
    return this.#inThread(workspaceId, { kind: 'check', schema, path }, path);
  }

  /**
   * The mistakes of an input, by the action's schema.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where too many wait.
   */
  async validate(workspaceId: string, schema: JsonObject, value: Json): Promise<Issue[]> {
    if (this.fitsAtOnce(schema, value)) return [];
    if (await this.#compileWhereCheap(workspaceId, schema)) {
      if (this.fitsAtOnce(schema, value)) return [];
    }
    return this.#inThread(workspaceId, { kind: 'validate', schema, value }, 'input');
  }

  /** True where a validation is cheap, its schema is compiled, and the value fits. All else is for `validate` to say. */
  fitsAtOnce(schema: JsonObject, value: Json): boolean {
    const weight = cheapWeight(schema);
    if (weight === null) return false;
    const compiled = compiledSchema(digestOf(schema));
    if (compiled === null || !isCheapFor(weight + compiled.patternInstructions, value)) return false;
    return compiled.fitsAtOnce(value);
  }

  /** Ends the threads; their unanswered jobs are refused. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Whether the schema was compiled now. Some 15 ms at most, in a turn of its own. */
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
