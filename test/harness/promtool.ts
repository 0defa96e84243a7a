import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../process/project-root.ts';

const MODULE = 'github.com/prometheus/prometheus/cmd/promtool@v0.316.0';
/** Compiling takes some minutes of a free machine, once. The package of Debian takes seconds. */
export const PROMTOOL_TIMEOUT_MS = 900_000;

export type Promtool = { program: string } | { missing: string };

/** Prometheus' checker of rules: from PATH, from the project's cache, from Debian's package, or compiled by Go, in this order. */
export function findPromtool(): Promtool {
  if (spawnSync('promtool', ['--version']).status === 0) return { program: 'promtool' };
  const folder = path.join(projectRoot(), '.cache', 'promtool');
  const program = path.join(folder, 'promtool');
  if (existsSync(program)) return { program };
  mkdirSync(path.dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.unfinished-`);
  try {
    const failures = [fromDebian, fromGo].flatMap((make) =>
      existsSync(path.join(unfinished, 'promtool')) ? [] : make(unfinished),
    );
    if (!existsSync(path.join(unfinished, 'promtool')))
      return { missing: `promtool is not to be had here: ${failures.join('; ')}` };
    if (!existsSync(program)) renameSync(unfinished, folder);
    return { program };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Only the one program of the package: nothing is installed. Returns why it failed. */
function fromDebian(folder: string): string[] {
  const download = run('apt-get', ['download', 'prometheus'], folder);
  if (download !== null) return [download];
  const file = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  const unpacked = path.join(folder, 'package');
  const unpack = run('dpkg-deb', ['--extract', file, unpacked], folder);
  if (unpack !== null) return [unpack];
  copyFileSync(path.join(unpacked, 'usr', 'bin', 'promtool'), path.join(folder, 'promtool'));
  chmodSync(path.join(folder, 'promtool'), 0o755);
  for (const rest of [unpacked, path.join(folder, file)]) rmSync(rest, { recursive: true });
  return [];
}

function fromGo(folder: string): string[] {
  const failure = run('go', ['install', '-ldflags=-s -w', MODULE], folder, { GOBIN: folder });
  return failure === null ? [] : [failure];
}

function run(
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
