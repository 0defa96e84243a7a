import { Piscina } from 'piscina';
import {
  type EmbedCall,
  type Embedded,
  type Embedder,
  type EmbeddingModel,
  embeddingsAway,
  refuseOtherModel,
} from '../../../domain/embeddings/embedder.ts';
import { FairSlots } from '../../../domain/fair-slots.ts';
import { remembered } from '../../../domain/remembered.ts';
import { outliveThreads } from '../../../domain/thread-failures.ts';
import type { EmbeddingAnswer, EmbeddingJob } from './embedding-thread.ts';

/** The name that collections carry. It belongs to these weights: other weights get another name. */
export const LOCAL_MODEL = 'wordllama-l2-supercat-256';

/** The thread ends with the model's memory when nobody has asked for a vector for this time. */
const IDLE_MS = 60_000;
/** Loading the model takes 0.3 s, a page of texts some milliseconds. */
const DEADLINE_MS = 30_000;
/** Texts of one job of the thread: a large request does not hold it while a small one waits. */
const TEXTS_A_JOB_MAX = 64;
const WAITING_MAX = 500;
const WAITING_A_WORKSPACE_MAX = 100;
const HEAP_MB_MAX = 256;

export interface LocalEmbedderOptions {
  /** Where the model's files are. Throws where there are none; then the next text asks again. */
  modelFolder(): string;
  /** The module that the thread runs; beside this one where it is left out. */
  threadFile?: () => URL;
  idleMs?: number;
  deadlineMs?: number;
}

/** The static model in a thread that starts with the first text and ends when idle. Workspaces take turns. */
export class LocalEmbedder implements Embedder {
  readonly #options: LocalEmbedderOptions;
  readonly #slots: FairSlots;
  readonly #deadlineMs: number;
  #threads: Piscina<EmbeddingJob, EmbeddingAnswer> | null = null;

  readonly model = remembered(async (call: EmbedCall): Promise<EmbeddingModel> => {
    const { dimensions } = await this.#page([], call);
    return { model: LOCAL_MODEL, dimensions };
  });

  constructor(options: LocalEmbedderOptions) {
    this.#options = options;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#slots = new FairSlots({
      slots: 1,
      slotsAnOwnerMax: 1,
      waitingMax: WAITING_MAX,
      waitingAnOwnerMax: WAITING_A_WORKSPACE_MAX,
      waitMsMax: this.#deadlineMs,
    });
  }

  async embed(texts: readonly string[], call: EmbedCall): Promise<Embedded> {
    const vectors: Float32Array[] = [];
    let dimensions: number | null = null;
    for (let from = 0; from < texts.length || dimensions === null; from += TEXTS_A_JOB_MAX) {
      const page = texts.slice(from, from + TEXTS_A_JOB_MAX);
      const answer = await this.#page(page, call);
      dimensions = answer.dimensions;
      for (let index = 0; index < page.length; index++) {
        vectors.push(answer.values.slice(index * dimensions, (index + 1) * dimensions));
      }
    }
    const model = { model: LOCAL_MODEL, dimensions };
    if (call.expected !== undefined) refuseOtherModel(call.expected, model);
    return { ...model, vectors };
  }

  async close(): Promise<void> {
    this.#slots.close();
    await this.#threads?.destroy();
  }

  async #page(texts: readonly string[], { workspaceId }: EmbedCall): Promise<EmbeddingAnswer> {
    try {
      const folder = this.#options.modelFolder();
      return await this.#slots.run(workspaceId, () => this.#runWithDeadline({ folder, texts }));
    } catch (error) {
      throw embeddingsAway(error instanceof Error ? error.message : String(error), error);
    }
  }

  async #runWithDeadline(job: EmbeddingJob): Promise<EmbeddingAnswer> {
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(), this.#deadlineMs);
    try {
      return await this.#running().run(job, { signal: ended.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  #running(): Piscina<EmbeddingJob, EmbeddingAnswer> {
    this.#threads ??= outliveThreads(
      new Piscina<EmbeddingJob, EmbeddingAnswer>({
        filename: (this.#options.threadFile?.() ?? new URL('embedding-thread.js', import.meta.url)).href,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: this.#options.idleMs ?? IDLE_MS,
        atomics: 'disabled',
        recordTiming: false,
        // It handles strangers' texts and needs none of the process's settings.
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      }),
      'embedder',
    );
    return this.#threads;
  }
}
