import { existsSync } from 'node:fs';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../process/project-root.ts';
import { installLocked, libraryVersions as versionsIn } from '../install-libraries.ts';

/** What the bench uses of DBOS Transact. The packages are not there when the project is compiled. */
export interface DbosModule {
  DBOS: {
    setConfig(config: object): void;
    launch(): Promise<void>;
    registerWorkflow<Args extends unknown[], Result>(
      workflow: (...args: Args) => Promise<Result>,
      config: { name: string },
    ): (...args: Args) => Promise<Result>;
    startWorkflow<Args extends unknown[], Result>(
      workflow: (...args: Args) => Promise<Result>,
      params: { workflowID: string },
    ): (...args: Args) => Promise<{ getResult(): Promise<Result> }>;
    runStep<Result>(step: () => Promise<Result>, config: { name: string }): Promise<Result>;
  };
}

/** What the bench uses of Restate's SDK. */
export interface RestateContext {
  run<Result>(name: string, step: () => Promise<Result>): Promise<Result>;
}
export interface RestateModule {
  service(definition: {
    name: string;
    handlers: Record<string, (ctx: RestateContext, input: Record<string, unknown>) => Promise<unknown>>;
  }): object;
  createEndpointHandler(options: {
    services: object[];
    logger: () => void;
  }): (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  TerminalError: new (message: string, options: { errorCode: number }) => Error;
}

const folder = path.join(projectRoot(), 'bench', 'peers', 'libraries');

export function installLibraries(): void {
  installLocked(folder);
}

/** The versions, as `name version`. */
export function libraryVersions(): string[] {
  return versionsIn(folder);
}

export function nodeOfTheBench(): string {
  return path.join(folder, 'node_modules', 'node', 'bin', 'node');
}

/** The file of Restate's server; null on a platform for which no package is locked. */
export function restateServer(): string | null {
  const file = path.join(folder, 'node_modules', '@restatedev', 'restate-server-linux-x64', 'bin', 'restate-server');
  return existsSync(file) ? file : null;
}

export async function loadDbos(): Promise<DbosModule> {
  return (await import(pathToFileURL(path.join(folder, 'dbos.mjs')).href)) as DbosModule;
}

export async function loadRestate(): Promise<RestateModule> {
  return (await import(pathToFileURL(path.join(folder, 'restate.mjs')).href)) as RestateModule;
}
