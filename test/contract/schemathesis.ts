import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../process/project-root.ts';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const REQUIREMENTS = path.join(FOLDER, 'requirements.txt');
const PYTHON_VERSION_CHECK = 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)';
const PIP_TIMEOUT_MS = 300_000;
const REQUEST_TIMEOUT_SECONDS = 60;

/** Checks on every reply. The suites over every route check which requests are refused (`negative_data_rejection` and so on). */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
];

export class SchemathesisMissingError extends Error {}

export interface ContractRun {
  baseUrl: string;
  /** A comma-separated list of `examples`, `coverage` (the boundary values of each schema) and `fuzzing`. */
  phases: string;
  /** Cases that fuzzing makes for each operation. */
  casesPerOperation: number;
  /** The operationIds to call; all of them if empty. */
  operations: readonly string[];
  /** The operationIds that answer without an end, which it would wait for. */
  endless: readonly string[];
  /** The same seed makes the same requests for the same document. */
  seed: number;
  /** See hooks.py. */
  world: { params: Record<string, Record<string, string>[]>; headers: Record<string, Record<string, string>> };
  /** The folder for the run's own files. */
  folder: string;
}

export interface ContractResult {
  exitCode: number | null;
  /** What Schemathesis printed: each failure with the request that shows it. */
  output: string;
  /** How many requests each operation got, by its operationId. */
  cases: Record<string, number>;
}

/**
 * The folder with Schemathesis, filled by pip from the pinned wheels if it does not exist yet.
 *
 * @throws {SchemathesisMissingError} without Python 3.11, pip, or a reachable package index.
 */
export function installSchemathesis(): string {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const installed = path.join(projectRoot(), '.cache', 'schemathesis', digest);
  if (existsSync(installed)) return installed;
  const python = spawnSync('python3', ['-c', PYTHON_VERSION_CHECK]);
  if (python.status !== 0) throw new SchemathesisMissingError('Schemathesis needs python3, 3.11 or newer, on PATH.');
  mkdirSync(path.dirname(installed), { recursive: true });
  const unfinished = mkdtempSync(`${installed}.unfinished-`);
  try {
    const pins = ['--no-deps', '--only-binary', ':all:', '--require-hashes'];
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--root-user-action', 'ignore'];
    const args = ['-m', 'pip', 'install', ...quiet, ...pins, '--target', unfinished, '-r', REQUIREMENTS];
    const pip = spawnSync('python3', args, { encoding: 'utf8', timeout: PIP_TIMEOUT_MS });
    if (pip.status !== 0) {
      throw new SchemathesisMissingError(`pip could not install Schemathesis: ${pip.error?.message ?? pip.stderr}`);
    }
    // The folder appears atomically, because two runs may do this at once.
    if (!existsSync(installed)) renameSync(unfinished, installed);
    return installed;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Runs Schemathesis in a process of its own against the document that the service itself serves. */
export async function runSchemathesis(libraries: string, run: ContractRun): Promise<ContractResult> {
  const worldFile = path.join(run.folder, 'world.json');
  const countsFile = path.join(run.folder, 'counts.json');
  writeFileSync(worldFile, JSON.stringify(run.world));
  const args = [
    ['-m', 'schemathesis.cli', 'run', `${run.baseUrl}/api/v2/openapi.json`],
    ['--checks', CHECKS.join(','), '--phases', run.phases, '--continue-on-failure'],
    ['--max-examples', String(run.casesPerOperation), '--seed', String(run.seed), '--generation-database', 'none'],
    run.operations.flatMap((id) => ['--include-operation-id', id]),
    run.endless.flatMap((id) => ['--exclude-operation-id', id]),
    // One worker: with more, CPython 3.11 can fail on what Hypothesis parses (SystemError, "AST constructor recursion depth").
    ['--workers', '1', '--suppress-health-check', 'all', '--no-color', '--output-truncate', 'false'],
    ['--request-timeout', String(REQUEST_TIMEOUT_SECONDS), '--warnings', 'off'],
  ].flat();
  const { PATH = '', HOME = '' } = process.env;
  const python = { PYTHONPATH: `${libraries}${path.delimiter}${FOLDER}`, PYTHONDONTWRITEBYTECODE: '1' };
  const hooks = { SCHEMATHESIS_HOOKS: 'hooks', CONTRACT_WORLD: worldFile, CONTRACT_COUNTS: countsFile };
  const child = spawn('python3', args, { cwd: run.folder, env: { PATH, HOME, ...python, ...hooks } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output, cases: readCounts(countsFile) };
}

/** Empty if Schemathesis ended before its hooks. */
function readCounts(file: string): Record<string, number> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {};
}
