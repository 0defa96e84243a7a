import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { projectRoot } from '../../../process/project-root.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

const run = promisify(execFile);
const FOLDER = path.dirname(fileURLToPath(import.meta.url));
/** Everything that the tests of the Python SDK and of the quick starts use, pinned with hashes. */
export const REQUIREMENTS = path.join(FOLDER, 'requirements.txt');
const PYTHON_CHECK =
  'import sys, venv, pip; print("%d.%d" % sys.version_info[:2]); sys.exit(0 if sys.version_info >= (3, 10) else 1)';
const QUIET = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-cache-dir'];
/** A program that hangs is ended before its test is given up. */
const RUN_TIMEOUT_MS = 2 * PATIENCE_MS;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** The version of `python3`, or why it cannot be used. */
function pythonOrReason(): { version: string } | { reason: string } {
  const python = spawnSync('python3', ['-c', PYTHON_CHECK], { encoding: 'utf8' });
  if (python.error !== undefined) return { reason: 'there is no python3 on PATH' };
  if (python.status === 0) return { version: python.stdout.trim() };
  return {
    reason: `python3 must be 3.10 or newer, with venv and pip (${python.stdout.trim() || python.stderr.trim()})`,
  };
}

/**
 * The environment of the pinned requirements, or null with a note that says why there is none: the README promises that Node is all that is
 * needed. On a build machine (CI=true) packages that cannot be fetched fail the test.
 */
export async function pythonOrNote(what: string): Promise<PythonCache | null> {
  const found = pythonOrReason();
  if ('reason' in found) {
    console.warn(`NOT RUN: ${what}, because ${found.reason}.`);
    return null;
  }
  try {
    return await pythonCache(found.version);
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    console.warn(`NOT RUN: ${what}. pip could not fetch the packages: ${String(error)}`);
    return null;
  }
}

/** What a program printed. @throws {Error} with all of its output where it ends otherwise than with 0. */
export async function runPython(
  python: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', ...options.env };
  const running = run(python, [...args], {
    cwd: options.cwd ?? FOLDER,
    env,
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: RUN_TIMEOUT_MS,
  });
  running.child.stdin?.end(options.input ?? '');
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${path.basename(args[0] ?? '')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

export interface PythonCache {
  /** The interpreter of an environment with every requirement, and nothing of ours. */
  python: string;
  /** The wheels of the requirements. */
  wheels: string;
}

/** The environment of the pinned requirements: made once for each set of them, and for each version of Python. */
async function pythonCache(version: string): Promise<PythonCache> {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).update(version).digest('hex').slice(0, 16);
  const cache = path.join(projectRoot(), '.cache', 'python', digest);
  const made = { python: path.join(cache, 'venv', 'bin', 'python'), wheels: path.join(cache, 'wheels') };
  if (existsSync(cache)) return made;
  mkdirSync(path.dirname(cache), { recursive: true });
  const unfinished = mkdtempSync(`${cache}.unfinished-`);
  try {
    const wheels = path.join(unfinished, 'wheels');
    const venv = path.join(unfinished, 'venv');
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--no-input'];
    const pins = ['--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', REQUIREMENTS];
    await run('python3', [...pip, 'download', ...pins, '--dest', wheels]);
    await run('python3', ['-m', 'venv', '--without-pip', venv]);
    const target = siteOf(venv);
    await run('python3', [
      ...pip,
      'install',
      '--no-index',
      '--find-links',
      wheels,
      '--no-compile',
      ...pins,
      '--target',
      target,
    ]);
    // It appears at once, because two runs may do this side by side.
    if (!existsSync(cache)) renameSync(unfinished, cache);
    return made;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Builds the wheel of sdk/python into the folder, as `pip wheel` does. */
export async function buildWheel(cache: PythonCache, folder: string): Promise<string> {
  const source = path.join(projectRoot(), 'sdk', 'python');
  const args = [
    '-m',
    'pip',
    'wheel',
    ...QUIET,
    '--no-deps',
    '--no-index',
    '--no-build-isolation',
    '--wheel-dir',
    folder,
    source,
  ];
  await runPython(cache.python, args);
  const [wheel, ...others] = readdirSync(folder).filter((name) => name.endsWith('.whl'));
  if (wheel === undefined || others.length > 0)
    throw new Error(`pip wheel made ${wheel ?? 'nothing'} ${others.join(' ')}`);
  return path.join(folder, wheel);
}

/** A new environment with the wheel and what it says that it needs, and nothing else. Answers its interpreter. */
export async function freshEnvironment(cache: PythonCache, wheel: string, folder: string): Promise<string> {
  const venv = path.join(folder, 'venv');
  await runPython(cache.python, ['-m', 'venv', '--without-pip', venv]);
  const python = path.join(venv, 'bin', 'python');
  const from = ['--no-index', '--find-links', cache.wheels];
  await runPython(cache.python, ['-m', 'pip', '--python', python, 'install', ...QUIET, ...from, wheel]);
  return python;
}

function siteOf(venv: string): string {
  const lib = path.join(venv, 'lib');
  const python = readdirSync(lib).find((name) => name.startsWith('python'));
  return path.join(lib, python ?? '', 'site-packages');
}
