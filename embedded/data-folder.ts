import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { processesNaming, processIdentity, stopProcesses } from './our-processes.ts';
import { readJsonFile, readOrCreatePrivately, writePrivately } from './private-file.ts';
import { StartError } from './start-error.ts';

/** Increased when the previous version could not use a folder of this version. */
const FOLDER_VERSION = 1;
/** PostgreSQL may run as another account, which must pass through the folder to its cluster. The files are private to their owner. */
const PASSABLE = 0o711;
const MASTER_KEY_BYTES = 32;
const LOG_BYTES_MAX = 20_000_000;
const LOCK = 'service.lock';

/** The state kept between starts, apart from the databases. */
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

  /** Makes, checks and locks the folder, and ends processes that a killed stack may have left running. Throws StartError. */
  static async open(configured: string): Promise<DataFolder> {
    mkdirSync(configured, { recursive: true, mode: PASSABLE });
    const folder = new DataFolder(realpathSync(configured));
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
    return readOrCreatePrivately(
      this.file('master-keys'),
      () => `1:${randomBytes(MASTER_KEY_BYTES).toString('base64')}`,
    );
  }

  unlock(): void {
    rmSync(this.file(LOCK), { force: true });
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
    // Left by a killed stack. Another that starts may have replaced it since it was read: then that one's is put back.
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

/** Removes the data folder of a stack that has ended. Throws StartError, and removes nothing, while the stack runs. */
export function removeEndedFolder(folder: string): void {
  const file = path.join(folder, LOCK);
  const pid = existsSync(file) ? livingHolder(readFileSync(file, 'utf8')) : null;
  if (pid !== null) throw new StartError(`The stack is still running on ${folder} (process ${pid}). Stop it first.`);
  rmSync(folder, { recursive: true, force: true });
}

/** The pid of another process that holds a lock with this text; null where it is gone. */
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

/** Another that starts has removed the same stale lock. */
function orGone(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
