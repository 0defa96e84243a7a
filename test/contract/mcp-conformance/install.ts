import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const PROGRAM = path.join(FOLDER, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** The suite's program, from the lock file beside this one. A build or a run of the other tests has no use for its packages. */
export function conformanceProgram(): string {
  if (existsSync(PROGRAM)) return PROGRAM;
  const { status, stderr } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci of the conformance suite ended with ${status}: ${stderr}`);
  return PROGRAM;
}
