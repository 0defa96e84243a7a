import { ServiceError } from '../errors.ts';

/** Vectors of two models cannot be compared, and neither can vectors of two lengths. */
export interface EmbeddingModel {
  model: string;
  dimensions: number;
}

/** Whose texts they are. A provider that is called from outside sees the texts alone. */
export interface EmbedCall {
  workspaceId: string;
  /** The model that the vectors are compared with: another model, or other dimensions, are refused. */
  expected?: EmbeddingModel;
}

export interface Embedded extends EmbeddingModel {
  /** One for each text, in order, of length 1. A text without a token has the zero vector. */
  vectors: Float32Array[];
}

/** Makes vectors of texts; its creator closes it. Every method throws SERVICE_UNAVAILABLE where it has no vector. */
export interface Embedder {
  /** The model that `embed` used last. A provider is asked where it was not called yet. */
  model(call: EmbedCall): Promise<EmbeddingModel>;
  /** All of the texts or none. */
  embed(texts: readonly string[], call: EmbedCall): Promise<Embedded>;
  close(): Promise<void>;
}

/** `reason` is for the log: it may name the provider, and holds no credential and no text. */
export function embeddingsAway(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', {
    message:
      'The embeddings are not available now, and nothing was stored. Send it again with the same Idempotency-Key.',
    log: `the embeddings are not available: ${reason}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** @throws {ServiceError} SERVICE_UNAVAILABLE where the vectors could not be compared with those that are stored. */
export function refuseOtherModel(expected: EmbeddingModel, found: EmbeddingModel): void {
  if (expected.model === found.model && expected.dimensions === found.dimensions) return;
  const named = ({ model, dimensions }: EmbeddingModel): string => `${model} (${dimensions} dimensions)`;
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    message:
      `Its embeddings are of the model ${named(expected)}, which this installation does not provide now. ` +
      'Text search still works; the operator can bring the model back.',
    log: `embeddings of ${named(expected)} are needed and ${named(found)} are made`,
  });
}

/** Scales a vector to length 1, in place. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale;
  return vector;
}

/** The cosine of two vectors of length 1. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** The signs of a vector's components, as PostgreSQL writes a bit string. Near vectors have most of them in common. */
export function signsOf(vector: Float32Array): string {
  let signs = '';
  for (const value of vector) signs += value > 0 ? '1' : '0';
  return signs;
}
