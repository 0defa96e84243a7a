import { batchesOf } from '../../../domain/batches-of.ts';
import type { PreparedRequest } from '../../../domain/adapters/adapter-descriptor.ts';
import {
  type EmbedCall,
  type Embedded,
  type Embedder,
  type EmbeddingModel,
  embeddingsAway,
  refuseOtherModel,
  toUnitLength,
} from '../../../domain/embeddings/embedder.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { USER_AGENT } from '../../../domain/product.ts';
import { sendRequest, type SendOptions } from '../http-request/send-request.ts';
import type { Watchdog } from '../watchdog.ts';

/** A vector of 4,096 dimensions is some 100 kB of JSON. */
const REPLY_BYTES_MAX = 16 * 1024 * 1024;
export const TEXTS_A_CALL_MAX = 64;
const TIMEOUT_MS = 20_000;
export const DIMENSIONS_MAX = 4_096;

export interface OpenAiEmbedderSettings {
  baseUrl: string;
  apiKey: string | null;
  model: string;
  /** Asked of the provider; null: as many as the model has. */
  dimensions: number | null;
}

export interface OpenAiEmbedderOptions extends SendOptions {
  watchdog: Pick<Watchdog, 'run'>;
  timeoutMs?: number;
}

/** `POST /embeddings` as OpenAI's. It retries nothing. No error repeats a text, the key, or the provider's words. */
export class OpenAiEmbedder implements Embedder {
  readonly #settings: OpenAiEmbedderSettings;
  readonly #options: OpenAiEmbedderOptions;

  /** How long the vectors of the last call were. Null before the first call. */
  #dimensions: number | null = null;

  constructor(settings: OpenAiEmbedderSettings, options: OpenAiEmbedderOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** Asks for one vector, the only way to learn the dimensions. Each call checks them: a provider may change them. */
  async model({ workspaceId }: EmbedCall): Promise<EmbeddingModel> {
    const dimensions = this.#dimensions ?? (await this.embed(['dimensions'], { workspaceId })).dimensions;
    return { model: this.#settings.model, dimensions };
  }

  async embed(texts: readonly string[], call: EmbedCall): Promise<Embedded> {
    const vectors: Float32Array[] = [];
    for (const page of batchesOf(texts, TEXTS_A_CALL_MAX)) vectors.push(...(await this.#page(page, call)));
    const dimensions = vectors[0]?.length ?? (await this.model(call)).dimensions;
    if (vectors.some((vector) => vector.length !== dimensions)) {
      throw embeddingsAway('the provider changed the dimensions between two calls');
    }
    const model = { model: this.#settings.model, dimensions };
    // Also where they are refused: what is made next is to have those of now.
    this.#dimensions = dimensions;
    if (call.expected !== undefined) refuseOtherModel(call.expected, model);
    return { ...model, vectors };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #page(texts: readonly string[], { workspaceId }: EmbedCall): Promise<Float32Array[]> {
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    const watched = { kind: 'embeddings', workspaceId, ids: {}, timeoutMs } as const;
    const limit = { bytesMax: REPLY_BYTES_MAX, larger: 'no_answer' } as const;
    const sent = await this.#options.watchdog
      .run(watched, (signal) => sendRequest(this.#options, this.#request(texts), limit, { timeoutMs, signal }))
      .catch((error: unknown) => {
        throw embeddingsAway('the call was ended', error);
      });
    if (sent.kind === 'blocked') throw embeddingsAway('the egress guard does not let the service call the provider');
    if (sent.kind !== 'response') throw embeddingsAway(`the provider gave no answer: ${sent.reason}`);
    const { status, body } = sent.response;
    if (status !== 200) throw embeddingsAway(`the provider answered ${status}`);
    const vectors = vectorsOf(body, texts.length);
    if (vectors === null) throw embeddingsAway('the provider answered no vector for each text');
    return vectors;
  }

  #request(input: readonly string[]): PreparedRequest {
    const { baseUrl, apiKey, model, dimensions } = this.#settings;
    const asked = { model, input, encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) };
    return {
      method: 'POST',
      url: `${baseUrl}/embeddings`,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'User-Agent': USER_AGENT,
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(asked),
      bodyEncoding: 'utf8',
    };
  }
}

/** `{ data: [{ index, embedding }] }`, in the order of the index. Returns null when the answer has another shape. */
function vectorsOf(body: Buffer, count: number): Float32Array[] | null {
  const data = dataOf(body);
  if (data?.length !== count) return null;
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [place, item] of data.entries()) {
    if (!isJsonObject(item)) return null;
    const { index = place, embedding } = item;
    const vector = vectorOf(embedding);
    if (vector === null || typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined)
      return null;
    vectors[index] = vector;
  }
  return vectors as Float32Array[];
}

function dataOf(body: Buffer): readonly unknown[] | null {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as unknown;
    return isJsonObject(parsed) && Array.isArray(parsed['data']) ? parsed['data'] : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function vectorOf(value: unknown): Float32Array | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > DIMENSIONS_MAX) return null;
  if (!value.every((one) => typeof one === 'number' && Number.isFinite(Math.fround(one)))) return null;
  return toUnitLength(Float32Array.from(value as number[]));
}
