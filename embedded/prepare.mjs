// Prepares what the project needs before it runs. Plain JavaScript without dependencies, because it runs first. Progress goes to
// stderr: the output of what runs next may be read by a program (`npm run env`).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = [
  'server.ts',
  'worker.ts',
  'domain',
  'temporal',
  'workflows',
  'activities',
  'api',
  'db',
  'process',
  'embedded',
  'demo',
  'bench',
  'docs/navigation.ts',
];
const DOCUMENTATION = ['README.md', 'docs'];
/** The console takes types of the SDK alone, which a build does not read. */
const CONSOLE = ['console'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const STAMP = path.join(root, 'dist', '.built.json');

export class PreparationError extends Error {}

/** Throws PreparationError if this Node is older than package.json requires. */
export function checkNode() {
  const { engines } = readJson('package.json');
  const [major, minor] = engines.node.replace(/^\D+/, '').split('.').map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  throw new PreparationError(`Node ${engines.node} is needed, and this is ${process.version}. Install a newer Node.`);
}

/** Runs `npm ci` if the installed packages differ from the lock file. */
export function installWhereMissing() {
  if (installedAsLocked()) return;
  const installed = began('Installing the locked dependencies, which takes a minute or two the first time');
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm] : [npm ?? 'npm'];
  // With NODE_ENV=production npm would leave out what builds the project, and what is left out counts as missing at the next start.
  run('npm ci', command, [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  installed('Installed');
}

/**
 * Compiles, bundles the workflows and makes the console and the documentation, if a source was added, changed or removed since the last
 * build. Where the pages or the console alone changed, it makes those alone.
 */
export async function buildWhereStale() {
  if (!SOURCES.some((source) => existsSync(path.join(root, source)))) return; // an image that holds only dist
  const sources = fingerprints();
  const last = existsSync(STAMP) ? readJson(path.relative(root, STAMP)) : {};
  const files = [...new Set([...Object.keys(last), ...Object.keys(sources)])];
  const changed = files.filter((file) => sources[file] !== last[file]);
  if (changed.length === 0) return;
  if (changed.every((file) => isDocumentation(file) || isOfConsole(file))) {
    if (changed.some(isOfConsole)) await buildConsole();
    return buildDocumentation(sources);
  }
  const removed = changed.some((file) => !(file in sources));
  const built = began('Building, which takes up to half a minute, the first time and after a change');
  if (removed) rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  await build();
  built('Built');
}

export async function build() {
  // Taken before the build: a source that changes during the build is built again the next time.
  const sources = fingerprints();
  // A build that fails, or is broken off, leaves output of its own: the stamp would vouch for it.
  rmSync(STAMP, { force: true });
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  // Needs nothing of the rest and takes a second: it runs beside the compiler.
  const consoleBuilt = buildConsole();
  // A failure is awaited below, after the steps in between, which hold up this process.
  consoleBuilt.catch(() => undefined);
  run('tsc', process.execPath, [tsc(), '-p', 'tsconfig.build.json']);
  // Runs in its own process, so that the service does not keep the bundler's memory.
  run('the workflow bundle', process.execPath, ['dist/embedded/commands/bundle-workflows.js']);
  copyReferenceAssets();
  await consoleBuilt;
  buildDocumentation(sources);
}

/** Files of the last build stay until the new ones are there: Vite empties the folder when it writes. */
function buildConsole() {
  const vite = path.join('node_modules', 'vite', 'bin', 'vite.js');
  return runBeside('the console', process.execPath, [vite, 'build', '--config', 'console/vite.config.ts']);
}

/** The stamp comes last, so that a failed or interrupted build leaves none. */
function buildDocumentation(sources) {
  run('the documentation', process.execPath, ['dist/embedded/commands/build-docs.js']);
  writeFileSync(`${STAMP}.new`, JSON.stringify(sources));
  renameSync(`${STAMP}.new`, STAMP);
}

/** Pages need no compiler. */
function isDocumentation(file) {
  return file === 'README.md' || (file.startsWith('docs/') && !file.endsWith('.ts'));
}

function isOfConsole(file) {
  return CONSOLE.includes(file.split(/[\\/]/, 1)[0]);
}

/**
 * Copies the assets of the API reference. The page's script comes from a development package, so that a production installation does not
 * need it. It is stored plain (3.5 MB) and compressed.
 */
function copyReferenceAssets() {
  const target = path.join(root, 'dist/api/reference');
  const script = readFileSync(path.join(root, 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js'));
  copyFileSync(path.join(root, 'api/reference/examples.json'), path.join(target, 'examples.json'));
  writeFileSync(path.join(target, 'scalar.js'), script);
  writeFileSync(path.join(target, 'scalar.js.gz'), gzipSync(script, { level: 9 }));
}

function tsc() {
  const { bin } = readJson('node_modules/typescript/package.json');
  return path.join('node_modules', 'typescript', typeof bin === 'string' ? bin : bin.tsc);
}

function installedAsLocked() {
  const hidden = 'node_modules/.package-lock.json';
  if (!existsSync(path.join(root, hidden))) return false;
  const installed = readJson(hidden).packages;
  return Object.entries(readJson('package-lock.json').packages).every(([name, locked]) => {
    if (name === '') return true;
    // Optional packages of other platforms are absent by design.
    if (!(name in installed)) return locked.optional === true;
    return installed[name].version === locked.version;
  });
}

function fingerprints() {
  const found = {};
  const visit = (relative) => {
    const full = path.join(root, relative);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) {
      // bench/delivery/libraries has packages of its own, which are no sources.
      for (const name of readdirSync(full).sort()) if (name !== 'node_modules') visit(path.join(relative, name));
    } else {
      found[relative] = createHash('sha256').update(readFileSync(full)).digest('base64url');
    }
  };
  [...SETTINGS, ...SOURCES, ...CONSOLE, ...DOCUMENTATION].forEach(visit);
  return found;
}

function began(what) {
  const startedAt = performance.now();
  console.error(`${what} …`);
  return (done) => console.error(`${done} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

function run(title, command, args) {
  judge(title, spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** The same, while this process goes on. */
function runBeside(title, command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const result = { status: null, signal: null, stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) child[stream].on('data', (part) => (result[stream] += part));
    child.on('error', (error) => Object.assign(result, { error }));
    child.on('close', (status, signal) => {
      try {
        judge(title, { ...result, status, signal });
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
}

function judge(title, result) {
  if (result.status === 0) return;
  if (result.signal !== null)
    throw new PreparationError(`Stopped during ${title} (${result.signal}). The next start does it again.`);
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`.trim();
  throw new PreparationError(`${title} failed: ${result.error?.message ?? `exit code ${result.status}`}\n${output}`);
}

function readJson(relative) {
  return JSON.parse(readFileSync(path.join(root, relative), 'utf8'));
}

/** Prepares everything; on failure prints why and ends with exit code 1. */
export async function prepareOrExit() {
  try {
    checkNode();
    installWhereMissing();
    await buildWhereStale();
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
