import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';

/** Compiling may take some minutes of a free machine, once. */
export const TOOL_TIMEOUT_MS = 900_000;

export type Tool = { program: string } | { missing: string };
/** Puts the program into the folder. Returns why it failed. */
export type Make = (folder: string) => string[];

/** A program that tests use and the project does not need: from PATH, from the project's cache, or made, in this order. */
export function findTool(name: string, versionArgument: string, makes: readonly Make[]): Tool {
  if (spawnSync(name, [versionArgument]).status === 0) return { program: name };
  const folder = path.join(projectRoot(), '.cache', name);
  const program = path.join(folder, name);
  if (existsSync(program)) return { program };
  mkdirSync(path.dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  try {
    const failures = makes.flatMap((make) => (existsSync(path.join(unfinished, name)) ? [] : make(unfinished)));
    if (!existsSync(path.join(unfinished, name)))
      return { missing: `${name} is not to be had here: ${failures.join('; ')}` };
    if (!existsSync(program)) renameSync(unfinished, folder);
    return { program };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Where Go's own installer puts it, which is not always on PATH. */
const GO_FOLDER = '/usr/local/go/bin';

/** Compiles a program of the Go module proxy, where Go is at hand. It is called as its folder is there, or by `name`. */
export function fromGo(module: string, name?: string): Make {
  return (folder) => {
    const PATH = `${process.env['PATH'] ?? ''}${path.delimiter}${GO_FOLDER}`;
    const failure = runTool('go', ['install', '-ldflags=-s -w', module], folder, { GOBIN: folder, PATH });
    if (failure !== null) return [failure];
    const [, built = ''] = /([^/]+)@/.exec(module) ?? [];
    if (name !== undefined) renameSync(path.join(folder, built), path.join(folder, name));
    return [];
  };
}

/** Returns why it failed, or null. */
export function runTool(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): string | null {
  const { status, error, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return `${program} ${args[0]}: ${error?.message ?? stderr.trim().slice(-300)}`;
}
