import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { processesWorkingIn } from '../../embedded/our-processes.ts';

/** A folder in memory, where Linux has one. In a container it is often of 64 MB. */
const MEMORY_FOLDER = '/dev/shm';
/** A run needs less than two: its databases, each of 20 MB, are dropped with their files, and the log of writes is bounded. */
const ROOM_BYTES_MIN = 8 * 2 ** 30;

const PREFIX = 'service-test-';
/** Another run may have made its folder and not yet started its PostgreSQL. */
const LEFT_BEHIND_AFTER_MS = 3_600_000;

export interface DatabaseFolder {
  /** The folder that was made. */
  folder: string;
  /** How a database is copied fastest there. On a disk, a copy of files is flushed file by file. */
  copyStrategy: 'FILE_COPY' | 'WAL_LOG';
}

/**
 * Makes a folder for the run's PostgreSQL. A database is 1,400 files, and each file of tests makes and drops one: in memory that takes
 * a third of the time.
 */
export function makeDatabaseFolder(): DatabaseFolder {
  removeLeftBehind();
  const isRoomy = hasRoom(MEMORY_FOLDER);
  const folder = mkdtempSync(path.join(isRoomy ? MEMORY_FOLDER : tmpdir(), PREFIX));
  return { folder, copyStrategy: isRoomy ? 'FILE_COPY' : 'WAL_LOG' };
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES_MIN;
}

/** A run that was killed leaves its files, and in memory they would stay until the machine restarts. */
function removeLeftBehind(): void {
  if (!existsSync(MEMORY_FOLDER)) return;
  for (const name of readdirSync(MEMORY_FOLDER).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(MEMORY_FOLDER, name);
    const madeAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - madeAt < LEFT_BEHIND_AFTER_MS || processesWorkingIn(path.join(folder, 'pg', 'cluster')).length > 0)
      continue;
    rmSync(folder, { recursive: true, force: true });
  }
}
