import { existsSync } from 'node:fs';
import path from 'node:path';
import { StaticModel } from '../activities/adapters/embeddings/static-model.ts';
import { projectRoot } from './project-root.ts';

/** The folder of the package within its wheel. */
const PACKAGE = 'wordllama';
/** A new pin gets a new folder. */
const CACHE_KEY = 'wordllama-0.4.0.post1';

export interface ModelLookup {
  /** EMBEDDINGS_MODEL_PATH; null if it is not set. */
  given: string | null;
  /** Where a fetched model is kept: `.cache/embeddings` of the project. */
  cacheDir: string;
}

/**
 * The folder of the local model's files: the configured folder, or the project's cache. It fetches nothing, because a process that serves runs no
 * pip: `npm start` and `npm run memory:model` fill the cache.
 *
 * @throws where neither holds the model. The message says how to get it.
 */
export function findEmbeddingModel({ given, cacheDir }: ModelLookup): string {
  if (given !== null) {
    if (holdsModel(given)) return given;
    throw new Error(`EMBEDDINGS_MODEL_PATH names ${given}, which does not hold the model's files.`);
  }
  const folder = cachedModel(cacheDir);
  if (holdsPackage(folder)) return path.join(folder, PACKAGE);
  throw new Error(
    `The model of local embeddings is not there: EMBEDDINGS_MODEL_PATH is not set, and the project's cache ${folder} does not hold it. ` +
      'Run `npm run memory:model`; or unpack the wheel of embedded/embedding-model-requirements.txt and set EMBEDDINGS_MODEL_PATH to its folder wordllama; or set EMBEDDINGS=openai.',
  );
}

/** Looks where a process of ours looks. */
export function embeddingModelLookup(given: string | null): ModelLookup {
  return { given, cacheDir: path.join(projectRoot(), '.cache', 'embeddings') };
}

/** The folder of the cache that holds the wheel's package, whether it is there or not. */
export const cachedModel = (cacheDir: string): string => path.join(cacheDir, CACHE_KEY);

/** Whether a folder holds the whole package. */
export const holdsPackage = (folder: string): boolean => holdsModel(path.join(folder, PACKAGE));

function holdsModel(folder: string): boolean {
  return StaticModel.FILES.every((file) => existsSync(path.join(folder, file)));
}
