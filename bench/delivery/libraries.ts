import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../process/project-root.ts';

/** What the bench uses of pg-boss. The packages are not there when the project is compiled. */
export interface PgBoss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: object): Promise<string | null>;
  insert(name: string, jobs: { data: object }[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    handler: (jobs: { id: string; data: object; retryCount: number }[]) => Promise<unknown>,
  ): Promise<string>;
}
interface PgBossModule {
  PgBoss: new (options: object) => PgBoss;
}

/** What the bench uses of graphile-worker. */
export interface GraphileUtils {
  migrate(): Promise<void>;
  addJob(task: string, payload: object, spec: object): Promise<unknown>;
  addJobs(specs: readonly object[]): Promise<unknown>;
  release(): Promise<void>;
}
export interface GraphileHelpers {
  job: { id: string; attempts: number };
  query(statement: object): Promise<unknown>;
}
interface GraphileModule {
  makeWorkerUtils(options: object): Promise<GraphileUtils>;
  run(options: {
    preset: object;
    taskList: Record<string, (payload: unknown, helpers: GraphileHelpers) => Promise<void>>;
  }): Promise<{ promise: Promise<void> }>;
}

const folder = path.join(projectRoot(), 'bench', 'delivery', 'libraries');

/**
 * Installs the locked packages where they are not there, or others are. They are no dependencies of the project: they want a newer Node
 * than it does, and nobody who builds or tests it should wait for them.
 */
export function installLibraries(): void {
  const locked = readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && isInstalled(locked, readFileSync(installed, 'utf8'))) return;
  console.log('Installing pg-boss and graphile-worker …');
  // npm warns that they ask for Node 22; what the bench uses of them runs on Node 20.
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci in ${path.relative(projectRoot(), folder)} ended with ${status}`);
}

function isInstalled(locked: string, installed: string): boolean {
  const versionsOf = (text: string): Map<string, string> => {
    const { packages } = JSON.parse(text) as { packages: Record<string, { version?: string }> };
    return new Map(Object.entries(packages).map(([name, { version = '' }]) => [name, version]));
  };
  const present = versionsOf(installed);
  return [...versionsOf(locked)].every(([name, version]) => name === '' || present.get(name) === version);
}

/** The versions, as `name version`. */
export function libraryVersions(): string[] {
  const { dependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
}

export async function loadPgBoss(): Promise<PgBossModule> {
  return (await import(pathToFileURL(path.join(folder, 'pg-boss.mjs')).href)) as PgBossModule;
}

export async function loadGraphileWorker(): Promise<GraphileModule> {
  return (await import(pathToFileURL(path.join(folder, 'graphile-worker.mjs')).href)) as GraphileModule;
}
