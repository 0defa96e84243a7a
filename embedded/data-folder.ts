import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { VARIABLES } from '../domain/configuration/configuration.ts';
import { processesNaming, processIdentity, stopProcesses } from './our-processes.ts';
import { readJsonFile, readOrCreatePrivately, writePrivately } from './private-file.ts';
import { projectRoot } from '../process/project-root.ts';
import { StartError } from './start-error.ts';

/** Increased when the previous version could not use a folder of this version. */
const FOLDER_VERSION = 1;
/** PostgreSQL may run as another account, which must pass through the folder to its cluster. The files are private to their owner. */
const PASSABLE = 0o711;
const MASTER_KEY_BYTES = 32;
const LOG_BYTES_MAX = 20_000_000;
const LOCK = 'service.lock';
const MASTER_KEYS = 'master-keys';
/** A folder that holds one of these is ours, also after an interrupted start or a lost file. */
const MARKS: ReadonlySet<string> = new Set(['version.json', 'service.log', MASTER_KEYS, 'postgres', LOCK]);
const WHY_NO_FOLDER: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
};

export interface FolderState {
  postgresPort?: number;
  demoTargetPort?: number;
  /** Set once the demo's secret and actions exist in this workspace for this target port. */
  demoReady?: { workspaceId: string; targetPort: number };
}

/** DATA_DIR: locked for one running stack, and readable only by its owner. */
export class DataFolder {
  readonly path: string;

  private constructor(folder: string) {
    this.path = folder;
  }

  /**
   * Creates, checks and locks the folder, and ends processes that a killed stack may have left running.
   *
   * @throws {StartError}
   */
  static async open(configured: string): Promise<DataFolder> {
    const folder = new DataFolder(madeFolder(configured));
    folder.refuseForeign();
    folder.checkVersion();
    folder.lock();
    await folder.stopOrphans();
    folder.rotateLog();
    return folder;
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  get postgresDir(): string {
    return this.file('postgres');
  }
  get temporalFile(): string {
    return this.file('temporal/temporal.db');
  }
  get logFile(): string {
    return this.file('service.log');
  }

  readState(): FolderState {
    return (readJsonFile(this.file('state.json')) as FolderState | null) ?? {};
  }

  changeState(change: FolderState): void {
    const before = this.readState();
    const after = { ...before, ...change };
    if (JSON.stringify(after) !== JSON.stringify(before))
      writePrivately(this.file('state.json'), JSON.stringify(after));
  }

  /** In the form of MASTER_KEYS. Without this file the secrets of this folder cannot be decrypted. */
  masterKeys(): string {
    return readOrCreatePrivately(this.file(MASTER_KEYS), () => `1:${randomBytes(MASTER_KEY_BYTES).toString('base64')}`);
  }

  unlock(): void {
    rmSync(this.file(LOCK), { force: true });
  }

  /** A start must not spread its files among those of somebody who named the wrong folder. */
  private refuseForeign(): void {
    const present = readdirSync(this.path).filter((name) => name !== 'lost+found');
    if (present.length === 0 || present.some((name) => MARKS.has(name))) return;
    throw new StartError(
      `${this.path} is not empty, and holds nothing of npm start. Set DATA_DIR to a folder of its own, which npm start makes.`,
    );
  }

  private checkVersion(): void {
    const file = this.file('version.json');
    const version = (readJsonFile(file) as { folderVersion: number } | null)?.folderVersion;
    if (version === undefined) writePrivately(file, JSON.stringify({ folderVersion: FOLDER_VERSION }));
    else if (version > FOLDER_VERSION) {
      throw new StartError(
        `${this.path} was written by a newer version of this service (folder version ${version}, this one knows ${FOLDER_VERSION}). Run that version, or set DATA_DIR to another folder.`,
      );
    }
  }

  private lock(): void {
    const file = this.file(LOCK);
    const own = this.file(`service.lock.${process.pid}`);
    writeFileSync(own, processIdentity(process.pid) ?? '');
    try {
      // link() is atomic, so no process ever reads a lock without its holder.
      while (!tryLink(own, file)) orGone(() => this.removeStaleLock(file));
    } finally {
      rmSync(own, { force: true });
    }
  }

  private removeStaleLock(file: string): void {
    const holder = readFileSync(file, 'utf8');
    const pid = livingHolder(holder);
    if (pid !== null) {
      throw new StartError(
        `The stack is already running on ${this.path} (process ${pid}). Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    // Left by a killed stack. Another start may have replaced it since it was read: then the newer one is restored.
    const aside = this.file(`service.lock.stale.${process.pid}`);
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== holder) tryLink(aside, file);
    rmSync(aside);
  }

  /** Where the kernel supports it, children die with their parent. Otherwise, or if they are still ending, this ends them. */
  private async stopOrphans(): Promise<void> {
    const cluster = path.join(this.postgresDir, 'cluster');
    await Promise.all([
      stopProcesses(processesNaming(cluster), 'SIGINT'),
      stopProcesses(processesNaming(this.temporalFile), 'SIGTERM'),
      stopProcesses(processesNaming(this.file('demo-target.jsonl')), 'SIGTERM'),
    ]);
  }

  private rotateLog(): void {
    if (existsSync(this.logFile) && statSync(this.logFile).size > LOG_BYTES_MAX) {
      renameSync(this.logFile, this.file('service.old.log'));
    }
  }
}

/** @throws {StartError} where no folder can be made or used there. */
function madeFolder(configured: string): string {
  try {
    mkdirSync(configured, { recursive: true, mode: PASSABLE });
    accessSync(configured, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(configured);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = WHY_NO_FOLDER[code] ?? `it cannot be used (${code})`;
    throw new StartError(`${configured} cannot be the folder of the stack: ${why}. Set DATA_DIR to another folder.`, {
      cause: error,
    });
  }
}

/** In the form of MASTER_KEYS. Returns null when the folder has no such file. */
export function masterKeysIn(folder: string): string | null {
  const file = path.join(folder, MASTER_KEYS);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

/** Whether commands use this folder when DATA_DIR is not set. */
export function isDefaultFolder(folder: string): boolean {
  return realpathSync(folder) === path.join(realpathSync(projectRoot()), VARIABLES.DATA_DIR.default);
}

/** Pid of the stack that runs on a folder. Returns null when none runs. */
export function stackOn(folder: string): number | null {
  const file = path.join(folder, LOCK);
  return existsSync(file) ? livingHolder(readFileSync(file, 'utf8')) : null;
}

/** Removes the data folder of a stack that has ended. Throws StartError, and removes nothing, while the stack runs. */
export function removeEndedFolder(folder: string): void {
  const pid = stackOn(folder);
  if (pid !== null) throw new StartError(`The stack is still running on ${folder} (process ${pid}). Stop it first.`);
  rmSync(folder, { recursive: true, force: true });
}

/** Pid of another process that holds a lock with this text. Returns null when that process is gone. */
function livingHolder(holder: string): number | null {
  const pid = Number(holder.split(':')[0]);
  return pid !== process.pid && processIdentity(pid) === holder ? pid : null;
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Ignores a file that another start removed first. */
function orGone(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
