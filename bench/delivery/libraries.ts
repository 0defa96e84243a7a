import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../process/project-root.ts';
import { installLocked, libraryVersions as versionsIn } from '../install-libraries.ts';

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

/** Installs them at the first run: they want a newer Node than the project does. */
export function installLibraries(): void {
  installLocked(folder);
}

/** The versions, as `name version`. */
export function libraryVersions(): string[] {
  return versionsIn(folder);
}

export async function loadPgBoss(): Promise<PgBossModule> {
  return (await import(pathToFileURL(path.join(folder, 'pg-boss.mjs')).href)) as PgBossModule;
}

export async function loadGraphileWorker(): Promise<GraphileModule> {
  return (await import(pathToFileURL(path.join(folder, 'graphile-worker.mjs')).href)) as GraphileModule;
}
