import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../process/project-root.ts';

/**
 * Installs the packages that are locked in a folder where they are not there, or others are. They are no dependencies
 * of the project: nobody who builds or tests it should wait for them.
 */
export function installLocked(folder: string): void {
  const locked = readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && isInstalled(locked, readFileSync(installed, 'utf8'))) return;
  console.log(`Installing ${libraryVersions(folder).join(', ')} …`);
  // npm warns where a package asks for another Node; what a bench uses of it runs on Node 20.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci in ${path.relative(projectRoot(), folder)} ended with ${status}`);
}

interface Locked {
  version?: string;
  /** npm leaves out an optional package of another platform. */
  optional?: boolean;
}

function isInstalled(locked: string, installed: string): boolean {
  const packagesOf = (text: string): [string, Locked][] =>
    Object.entries((JSON.parse(text) as { packages: Record<string, Locked> }).packages);
  const present = new Map(packagesOf(installed));
  return packagesOf(locked).every(
    ([name, { version, optional }]) =>
      name === '' || present.get(name)?.version === version || (optional === true && !present.has(name)),
  );
}

/** The versions that a folder's package.json names, as `name version`. */
export function libraryVersions(folder: string): string[] {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as { dependencies: Record<string, string>; optionalDependencies?: Record<string, string> };
  return Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) => `${name} ${version}`);
}
