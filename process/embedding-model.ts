import { existsSync } from 'node:fs';
import path from 'node:path';
import { StaticModel } from '../activities/adapters/embeddings/static-model.ts';
import { fillCache, installWithPip } from './fill-cache.ts';
import { projectRoot } from './project-root.ts';

/** The folder of the package within its wheel. */
const PACKAGE = 'wordllama';
const REQUIREMENTS = 'embedding-model-requirements.txt';
/** A new pin gets a new folder. */
const CACHE_KEY = 'wordllama-0.4.0.post1';
/** The wheel that the pin names, on whatever machine this is. */
const WHEEL = [
  '--platform',
  'manylinux2014_x86_64',
  '--implementation',
  'cp',
  '--python-version',
  '311',
  '--abi',
  'cp311',
];

export interface ModelLookup {
  /** EMBEDDINGS_MODEL_PATH; null if it is not set. */
  given: string | null;
  /** Where a fetched model is kept: `.cache/embeddings` of the project. */
  cacheDir: string;
  installWithPip(requirements: string, folder: string, more: readonly string[]): Promise<void>;
}

/**
 * The folder of the local model's files. Three ways: the configured folder; the project's cache; PyPI, by pip and with a pinned hash.
 * Throws an error that names all of them.
 */
export async function findEmbeddingModel(lookup: ModelLookup): Promise<string> {
  if (lookup.given !== null) {
    if (holdsModel(lookup.given)) return lookup.given;
    throw new Error(`EMBEDDINGS_MODEL_PATH names ${lookup.given}, which does not hold the model's files.`);
  }
  const folder = path.join(lookup.cacheDir, CACHE_KEY);
  const found = path.join(folder, PACKAGE);
  if (holdsModel(found)) return found;
  const cache = {
    folder,
    isWhole: (made: string) => holdsModel(path.join(made, PACKAGE)),
    otherwise: 'it brought no model',
  };
  const reason = await fillCache(cache, (target) => lookup.installWithPip(REQUIREMENTS, target, WHEEL));
  if (reason === null) return found;
  throw new Error(
    [
      'The model of local embeddings was not found in any of three ways:',
      '  1. EMBEDDINGS_MODEL_PATH is not set',
      `  2. the project's cache ${folder} does not hold it`,
      `  3. PyPI: ${reason}`,
      'Unpack the wheel of embedded/embedding-model-requirements.txt and set EMBEDDINGS_MODEL_PATH to its folder wordllama, or set EMBEDDINGS=openai.',
    ].join('\n'),
  );
}

/** Looks where a process of ours looks. */
export function embeddingModelLookup(given: string | null): ModelLookup {
  return { given, cacheDir: path.join(projectRoot(), '.cache', 'embeddings'), installWithPip };
}

function holdsModel(folder: string): boolean {
  return StaticModel.FILES.every((file) => existsSync(path.join(folder, file)));
}
