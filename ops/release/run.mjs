import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** The top of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '..', '..');

/** Why a step of a release ended. Its message is all that is printed. */
export class ReleaseError extends Error {}

/** Runs a program and returns what it printed. Throws a ReleaseError with its last words. */
export function run(program, args, { cwd = ROOT } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const said = error?.message ?? (stderr.trim() || stdout.trim()).slice(-2_000);
  throw new ReleaseError(`${program} ${args.slice(0, 3).join(' ')}: ${said}`);
}

/** Whether a program answers. */
export const isThere = (program, args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Runs the command of a script, and prints why it failed. */
export async function main(command) {
  try {
    await command(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
