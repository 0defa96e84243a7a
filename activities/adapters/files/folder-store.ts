import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Bytes, FileStage, FileStore, StoredFile } from '../../../domain/files/file-store.ts';
import { DIRECT_FILE_BYTES_MAX } from '../../../domain/files/files.ts';
import { isId } from '../../../domain/ids.ts';
import { isUuid } from '../../../domain/uuid.ts';
import { writeBytes } from './write-bytes.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const PART = 'part-';

/**
 * Files in a folder: each file has a folder of its own, `<environment>/<file id>`, with `content` in it. Bytes are written under another
 * name there and renamed at the end, so that a reader finds all of them or nothing. Leftovers of a killed process are deleted with what is
 * incoming. All processes of an installation share the folder.
 */
export function createFolderStore(root: string): FileStore {
  const folderOf = ({ environmentId, fileId }: StoredFile): string => {
    // Both are ours. A place outside of the folder must not be had even if one day they were not.
    if (!isUuid(environmentId) || !isId('file', fileId)) throw new Error('a stored file has ids of ours');
    return path.join(root, environmentId, fileId);
  };
  const placeOf = (file: StoredFile, stage: FileStage): string => path.join(folderOf(file), stage);
  const removeStage = (file: StoredFile, stage: FileStage): Promise<void> => rm(placeOf(file, stage), { force: true });
  return {
    presign: null,
    presignedBytesMax: DIRECT_FILE_BYTES_MAX,
    put: (file, stage, source) => write(folderOf(file), placeOf(file, stage), source),
    async promote(file) {
      const [incoming, content] = [placeOf(file, 'incoming'), placeOf(file, 'content')];
      await unlessMissing(rename(incoming, content));
      const found = await unlessMissing(stat(content));
      if (found === null) return null;
      // Flushes also a file that was renamed before: the process that renamed it may have died before the flush.
      await unlessMissing(syncFolder(folderOf(file)));
      return found.size;
    },
    read: (file, range) => read(placeOf(file, 'content'), range),
    async removeIncoming(file) {
      await removeStage(file, 'incoming');
      await removeParts(folderOf(file));
    },
    removeContent: (file) => removeStage(file, 'content'),
    remove: (file) => rm(folderOf(file), { recursive: true, force: true }),
  };
}

/** What killed processes have begun to write. */
async function removeParts(folder: string): Promise<void> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  for (const name of names.filter((one) => one.startsWith(PART))) await rm(path.join(folder, name), { force: true });
}

async function write(folder: string, place: string, source: Bytes): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const part = path.join(folder, `${PART}${randomUUID()}`);
  const file = await open(part, 'wx', PRIVATE_FILE);
  try {
    await writeBytes(file, source);
    await file.sync();
    await rename(part, place);
    await syncFolder(folder);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** The rename itself survives a crash of the machine once the folder is flushed. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(place: string, range?: { start: number; end: number }): Promise<Bytes | null> {
  const file = await unlessMissing(open(place, 'r'));
  if (file === null) return null;
  return file.createReadStream(range); // which closes the file at its end
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
