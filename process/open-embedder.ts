import { LocalEmbedder } from '../activities/adapters/embeddings/local-embedder.ts';
import { OpenAiEmbedder, type OpenAiEmbedderOptions } from '../activities/adapters/embeddings/openai-embedder.ts';
import type { Configuration } from '../domain/configuration/configuration.ts';
import type { Embedder } from '../domain/embeddings/embedder.ts';
import { embeddingModelLookup, findEmbeddingModel } from './embedding-model.ts';

type Settings = Pick<
  Configuration<'api'>,
  | 'EMBEDDINGS'
  | 'EMBEDDINGS_MODEL_PATH'
  | 'EMBEDDINGS_BASE_URL'
  | 'EMBEDDINGS_API_KEY'
  | 'EMBEDDINGS_MODEL'
  | 'EMBEDDINGS_DIMENSIONS'
  | 'EMBEDDINGS_TIMEOUT_SECONDS'
>;

/** What the configuration chose. Nothing is loaded or called until the first text. */
export function openEmbedder(settings: Settings, sending: Omit<OpenAiEmbedderOptions, 'timeoutMs'>): Embedder {
  if (settings.EMBEDDINGS === 'local') {
    const lookup = embeddingModelLookup(settings.EMBEDDINGS_MODEL_PATH);
    return new LocalEmbedder({ modelFolder: () => findEmbeddingModel(lookup) });
  }
  return new OpenAiEmbedder(
    {
      baseUrl: settings.EMBEDDINGS_BASE_URL,
      apiKey: settings.EMBEDDINGS_API_KEY,
      model: settings.EMBEDDINGS_MODEL,
      dimensions: settings.EMBEDDINGS_DIMENSIONS,
    },
    { ...sending, timeoutMs: settings.EMBEDDINGS_TIMEOUT_SECONDS * 1_000 },
  );
}
