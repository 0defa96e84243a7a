import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../../process/project-root.ts';

const LOCKED = path.dirname(fileURLToPath(import.meta.url));

export interface Conformance {
  /** The Node.js that the suite runs on: it uses what Node 20 does not have. */
  node: string;
  program: string;
}

/** The suite and its Node.js, from the lock file beside this one. Nothing else has a use for its packages, so they are in the cache. */
export function installConformance(): Conformance {
  const folder = path.join(projectRoot(), '.cache', 'mcp-conformance');
  const packages = path.join(folder, 'node_modules');
  const installed = {
    node: path.join(packages, 'node', 'bin', 'node'),
    program: path.join(packages, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  };
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(path.join(LOCKED, file), path.join(folder, file));
  }
  if (existsSync(installed.node) && existsSync(installed.program)) return installed;
  const { status, stderr } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci of the conformance suite ended with ${status}: ${stderr}`);
  return installed;
}
