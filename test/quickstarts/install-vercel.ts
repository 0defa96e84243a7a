import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { projectRoot } from '../../process/project-root.ts';

const run = promisify(execFile);
const LOCKED = fileURLToPath(new URL('vercel', import.meta.url));
const FILES = ['package.json', 'package-lock.json'];

/** The folder with the packages of the Vercel AI SDK, installed once for each lock. */
export async function installVercel(): Promise<string> {
  const digest = createHash('sha256');
  for (const file of FILES) digest.update(readFileSync(path.join(LOCKED, file)));
  const installed = path.join(projectRoot(), '.cache', 'quickstarts', digest.digest('hex').slice(0, 16));
  if (existsSync(installed)) return installed;
  mkdirSync(path.dirname(installed), { recursive: true });
  const unfinished = mkdtempSync(`${installed}.unfinished-`);
  try {
    for (const file of FILES) copyFileSync(path.join(LOCKED, file), path.join(unfinished, file));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
    // It appears at once, because two runs may do this side by side.
    if (!existsSync(installed)) renameSync(unfinished, installed);
    return installed;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
