import { LocalEmbedder } from '../../activities/adapters/embeddings/local-embedder.ts';
import { embeddingModelLookup, findEmbeddingModel } from '../../process/embedding-model.ts';

/** The embeddings of the default configuration. */
export function localEmbedder(): LocalEmbedder {
  const lookup = embeddingModelLookup(null);
  return new LocalEmbedder({ modelFolder: () => findEmbeddingModel(lookup) });
}
