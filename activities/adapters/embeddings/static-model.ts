import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { toUnitLength } from '../../../domain/embeddings/embedder.ts';

/** The files of a model's folder, as the wheel of `wordllama` has them. */
const WEIGHTS_FILE = 'weights/l2_supercat_256.safetensors';
const TOKENIZER_FILE = 'tokenizers/l2_supercat_tokenizer_config.json';
const TENSOR = 'embedding.weight';

/** Beyond this a text's vector hardly changes, and its tokens cost time. */
const CHARACTERS_MAX = 32_768;

/**
 * One vector for each token. A text's vector is the mean of its tokens': a look-up, no inference. Weights stay 16-bit.
 */
export class StaticModel {
  static readonly FILES: readonly string[] = [WEIGHTS_FILE, TOKENIZER_FILE];
  readonly dimensions: number;
  private readonly weights: Uint16Array;
  private readonly tokenizer: Tokenizer;

  private constructor(weights: Uint16Array, dimensions: number, tokenizer: Tokenizer) {
    this.weights = weights;
    this.dimensions = dimensions;
    this.tokenizer = tokenizer;
  }

  /** Takes some 200 ms of the thread that it runs in. Throws where a file is missing or is not what it should be. */
  static load(folder: string): StaticModel {
    const tokenizer = JSON.parse(readFileSync(path.join(folder, TOKENIZER_FILE), 'utf8')) as object;
    const { weights, dimensions } = readWeights(readFileSync(path.join(folder, WEIGHTS_FILE)));
    return new StaticModel(weights, dimensions, new Tokenizer(tokenizer, {}));
  }

  embed(text: string): Float32Array {
    const { ids } = this.tokenizer.encode(text.slice(0, CHARACTERS_MAX), { add_special_tokens: false });
    const sum = new Float32Array(this.dimensions);
    const last = this.weights.length / this.dimensions - 1;
    for (const id of ids) {
      const from = Math.min(Number(id), last) * this.dimensions;
      for (let index = 0; index < this.dimensions; index++) {
        sum[index] = (sum[index] ?? 0) + (FLOATS[this.weights[from + index] ?? 0] ?? 0);
      }
    }
    return toUnitLength(sum);
  }
}

/** The one tensor of a safetensors file: the length of a JSON header (8 bytes), the header, the data. */
function readWeights(file: Buffer): { weights: Uint16Array; dimensions: number } {
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes)) as Record<string, TensorInfo | undefined>;
  const tensor = header[TENSOR];
  const [tokens = 0, dimensions = 0] = tensor?.shape ?? [];
  const [from = 0, to = 0] = tensor?.data_offsets ?? [];
  if (tensor?.dtype !== 'F16' || to - from !== tokens * dimensions * 2 || file.length < 8 + headerBytes + to) {
    throw new Error(`${WEIGHTS_FILE} does not hold the 16-bit tensor ${TENSOR}`);
  }
  // A copy: a Uint16Array begins at an even byte.
  const bytes = new Uint8Array(to - from);
  bytes.set(file.subarray(8 + headerBytes + from, 8 + headerBytes + to));
  return { weights: new Uint16Array(bytes.buffer), dimensions };
}

interface TensorInfo {
  dtype: string;
  shape: number[];
  data_offsets: number[];
}

/** The value of each 16-bit float. Node has no Float16Array before version 24. */
const FLOATS = Float32Array.from({ length: 1 << 16 }, (_, bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});
