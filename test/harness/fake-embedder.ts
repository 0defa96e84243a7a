import {
  type EmbedCall,
  type Embedded,
  type Embedder,
  type EmbeddingModel,
  embeddingsAway,
  refuseOtherModel,
  toUnitLength,
} from '../../domain/embeddings/embedder.ts';

const DIMENSIONS = 64;

/**
 * Replaces the embeddings in tests of other subjects: texts that share words have near vectors, and nothing is loaded or called. It
 * counts what it is asked, and is away when it is told to be.
 */
export class FakeEmbedder implements Embedder {
  /** Every text that was embedded, in order. */
  readonly texts: string[] = [];
  isAway = false;
  name = 'fake';
  dimensions = DIMENSIONS;

  model(): Promise<EmbeddingModel> {
    return Promise.resolve({ model: this.name, dimensions: this.dimensions });
  }

  embed(texts: readonly string[], { expected }: EmbedCall): Promise<Embedded> {
    if (this.isAway) return Promise.reject(embeddingsAway('the fake is told to be away'));
    const model = { model: this.name, dimensions: this.dimensions };
    try {
      if (expected !== undefined) refuseOtherModel(expected, model);
    } catch (error) {
      return Promise.reject(error);
    }
    this.texts.push(...texts);
    return Promise.resolve({ ...model, vectors: texts.map((text) => this.vectorOf(text)) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      // Each word has a direction of its own, positive and negative, so that the signs of a vector tell something.
      let state = 2_166_136_261;
      for (const character of word) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
      for (let index = 0; index < vector.length; index++) {
        state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + index;
        vector[index] = (vector[index] ?? 0) + ((state >>> 8) % 2_000) / 1_000 - 1;
      }
    }
    return toUnitLength(vector);
  }
}
