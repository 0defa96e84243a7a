import { StaticModel } from './static-model.ts';

export interface EmbeddingJob {
  folder: string;
  texts: readonly string[];
}

export interface EmbeddingAnswer {
  dimensions: number;
  /** The vectors of all texts, one behind the other. */
  values: Float32Array;
}

let loaded: { folder: string; model: StaticModel } | null = null;

/** The work of the thread of `LocalEmbedder`. It keeps the model until it ends. */
export default function embedTexts({ folder, texts }: EmbeddingJob): EmbeddingAnswer {
  if (loaded?.folder !== folder) loaded = { folder, model: StaticModel.load(folder) };
  const { model } = loaded;
  const values = new Float32Array(texts.length * model.dimensions);
  for (const [index, text] of texts.entries()) values.set(model.embed(text), index * model.dimensions);
  return { dimensions: model.dimensions, values };
}
