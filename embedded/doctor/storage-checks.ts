import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rmdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { createFileStore } from '../../activities/adapters/files/create-file-store.ts';
import { newId } from '../../domain/ids.ts';
import { embeddingModelLookup, findEmbeddingModel } from '../../process/embedding-model.ts';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import type { Settings } from './settings.ts';

const FILES_PAGE = 'files.md';
const FREE_RATIO_MIN = 0.1;
/** A tenth of a large disk is plenty. */
const FREE_BYTES_ENOUGH = 10 * 1024 ** 3;
const WRITTEN = Buffer.from('doctor');

const filesDir = ({ values, filesDirDefault }: Settings): string => path.resolve(values.FILES_DIR ?? filesDirDefault);

/** Where files and models are kept. */
export const STORAGE_CHECKS: readonly Check[] = [
  {
    name: 'file-store',
    page: FILES_PAGE,
    holds: 'The store of files keeps what is written',
    needs: ['configuration'],
    run: async ({ settings }) => {
      try {
        await writeAndRead(settings);
        return ok('The store of files keeps what is written.');
      } catch (error) {
        return fail(
          `The store of files does not take and give back a file (${error instanceof Error ? error.message : String(error)})`,
          'give this process the folder of FILES_DIR, or correct the settings of S3',
        );
      }
    },
  },
  {
    name: 'files-disk',
    page: 'runbooks.md#filesdiskfull',
    holds: 'The disk of FILES_DIR has a tenth, or 10 GiB, free',
    run: async ({ settings }) => {
      if (settings.values.FILES !== 'folder') return skipped('Files are in a bucket.');
      return judgeDisk(await statfs(nearestFolder(filesDir(settings))));
    },
  },
  {
    name: 'embeddings',
    page: 'memory.md',
    holds: 'The model of embeddings is there, or its endpoint has a key',
    run: ({ settings: { values } }) => judgeModel(values),
  },
];

async function writeAndRead(settings: Settings): Promise<void> {
  const { values, filesDirDefault } = settings;
  const store = createFileStore(values as Parameters<typeof createFileStore>[0], filesDirDefault);
  const file = { environmentId: randomUUID(), fileId: newId('file') };
  try {
    await store.put(file, 'content', chunks());
    const read = await store.read(file);
    if (read === null) throw new Error('what was written is not there');
    const bytes: Uint8Array[] = [];
    for await (const chunk of read) bytes.push(chunk);
    if (!Buffer.concat(bytes).equals(WRITTEN)) throw new Error('it gives back other bytes');
  } finally {
    await store.remove(file);
    if (values.FILES === 'folder')
      await rmdir(path.join(filesDir(settings), file.environmentId)).catch(() => undefined);
  }
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(WRITTEN);
}

/** The folder itself is made with the first file. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}

export function judgeDisk({ bavail, blocks, bsize }: { bavail: number; blocks: number; bsize: number }): Finding {
  const percent = Math.round((bavail / blocks) * 100);
  return bavail / blocks < FREE_RATIO_MIN && bavail * bsize < FREE_BYTES_ENOUGH
    ? fail(`The disk of the store of files has ${percent} % free`, 'delete what is not needed, or enlarge it')
    : ok(`The disk of the store of files has ${percent} % free.`);
}

function judgeModel(values: Settings['values']): Finding {
  if (values.EMBEDDINGS === 'openai') {
    const isPublic = values.EMBEDDINGS_BASE_URL?.startsWith('https://api.openai.com') === true;
    return isPublic && values.EMBEDDINGS_API_KEY === null
      ? fail('EMBEDDINGS is openai, and EMBEDDINGS_API_KEY is not set', 'set it')
      : ok('Embeddings are asked of an endpoint.');
  }
  try {
    findEmbeddingModel(embeddingModelLookup(values.EMBEDDINGS_MODEL_PATH));
    return ok('The model of local embeddings is there.');
  } catch {
    return fail(
      'The model of local embeddings is not there, so requests that need embeddings get 503',
      'run `npm run memory:model`, or set EMBEDDINGS_MODEL_PATH',
    );
  }
}
