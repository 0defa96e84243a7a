// Compiles the packages of this folder: node sdk/build.mjs
// The command line finds the SDK as it would where both are installed: as a package below its own node_modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const compiler = path.join(here, '..', 'node_modules', 'typescript', 'bin', 'tsc');

function compile(name) {
  const folder = path.join(here, name);
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`sdk/${name} does not compile:\n${stdout}${stderr}`);
}

function linkSdk() {
  const modules = path.join(here, 'cli', 'node_modules');
  const link = path.join(modules, 'agent-action-runtime-sdk');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(link)) symlinkSync(path.join('..', '..', 'typescript'), link, 'dir');
}

try {
  compile('typescript');
  linkSdk();
  compile('cli');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
