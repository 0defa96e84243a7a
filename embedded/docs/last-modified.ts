import { spawnSync } from 'node:child_process';

/** By file, the time of the last commit that changed it; empty where there is no git, as in an image. */
export function lastModified(root: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const log = spawnSync('git', ['log', '--format=%x00%cI', '--name-only', '--no-renames', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const times = new Map<string, string>();
  if (log.status !== 0) return times;
  for (const commit of log.stdout.split('\0')) {
    const [time = '', ...files] = commit.split('\n');
    // The newest commit comes first.
    for (const file of files) if (file !== '' && !times.has(file)) times.set(file, new Date(time).toISOString());
  }
  return times;
}
