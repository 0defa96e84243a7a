// Compiles the packages of this folder: node sdk/build.mjs [--if-needed]
// The command line finds the SDK as it would where both are installed: as a package below its own node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const compiler = path.join(here, '..', 'node_modules', 'typescript', 'bin', 'tsc');

const OUTPUTS = ['typescript', 'cli'].map((name) => path.join(here, name, 'dist'));

function compile(name) {
  if (!existsSync(compiler)) throw new Error('TypeScript is not installed: run npm ci in the folder above sdk first.');
  const folder = path.join(here, name);
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`sdk/${name} does not compile:\n${stdout}${stderr}`);
}

function linkSdk() {
  const modules = path.join(here, 'cli', 'node_modules');
  const link = path.join(modules, 'agent-action-runtime-sdk');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(link)) symlinkSync(path.join('..', '..', 'typescript'), link, 'dir');
}

/** Whether everything is there and was compiled after the last change of a source. The command line is compiled last. */
function isFresh() {
  const built = path.join(here, 'cli', 'dist', 'main.js');
  if (![built, path.join(here, 'typescript', 'dist', 'index.js')].every((file) => existsSync(file))) return false;
  const sources = ['typescript', 'cli'].flatMap((name) => [
    path.join(here, name, 'tsconfig.json'),
    ...readdirSync(path.join(here, name, 'src'), { recursive: true }).map((file) => path.join(here, name, 'src', file)),
  ]);
  return sources.every((file) => statSync(file).mtimeMs <= statSync(built).mtimeMs);
}

try {
  if (process.argv.includes('--if-needed') && isFresh()) process.exit(0);
  // All of them first: a build that breaks off must not leave the last output of the one before, which would say that all is fresh.
  for (const output of OUTPUTS) rmSync(output, { recursive: true, force: true });
  compile('typescript');
  linkSdk();
  compile('cli');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
