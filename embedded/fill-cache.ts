import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../process/project-root.ts';

const run = promisify(execFile);
const PIP_TIMEOUT_MS = 300_000;
/** Where no index is reached, `npm start` goes on without the model after some 20 s. */
const REACHED_WITHIN = ['--retries', '1', '--timeout', '10'];

export interface CacheFolder {
  folder: string;
  isWhole(folder: string): boolean;
  otherwise: string;
}

/** Returns null on success, otherwise the reason. The folder appears atomically, because two runs may do this at once. */
export async function fillCache(
  { folder, isWhole, otherwise }: CacheFolder,
  fetch: (folder: string) => Promise<void>,
): Promise<string | null> {
  mkdirSync(path.dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  try {
    await fetch(unfinished);
    if (!isWhole(unfinished)) return otherwise;
    if (existsSync(folder) && !isWhole(folder)) rmSync(folder, { recursive: true, force: true });
    if (!existsSync(folder)) renameSync(unfinished, folder);
    return null;
  } catch (error) {
    if (isWhole(folder)) return null; // another run finished first
    return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Unpacks the wheels of a file of pinned hashes. Nothing of them is run. */
export async function installWithPip(
  requirements: string,
  folder: string,
  more: readonly string[] = [],
): Promise<void> {
  const file = path.join(projectRoot(), 'embedded', requirements);
  const pins = ['--no-deps', '--only-binary', ':all:', '--require-hashes'];
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--root-user-action', 'ignore'];
  const args = ['-m', 'pip', 'install', ...quiet, ...REACHED_WITHIN, ...pins, ...more, '--target', folder, '-r', file];
  await run('python3', args, { timeout: PIP_TIMEOUT_MS });
}
