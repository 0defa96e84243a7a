import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { VARIABLES } from '../../domain/configuration/configuration.ts';
import type { Credentials } from '../../embedded/credentials.ts';
import { freePorts } from '../../embedded/ports.ts';
import { projectRoot } from '../../process/project-root.ts';
import { BenchChild } from './child.ts';

export interface RunningService {
  credentials: Credentials;
  /** The time from `npm start` to the line that says it is ready. */
  readySeconds: number;
  /** The one process that is API and worker; PostgreSQL and Temporal are its children. */
  pid: number;
  /** Its resident memory, MB; NaN on a system without /proc. */
  rssMb(): number;
  stop(): Promise<void>;
  /** SIGKILL to the process that is API and worker; resolves when it has ended. */
  kill(): Promise<void>;
}

/**
 * Runs `npm start` (or, with node flags, what it runs) on this data folder and on free ports, without our own
 * configuration. `settings` are variables of the service, such as a database of the bench.
 */
export async function startService(
  dataDir: string,
  nodeFlags: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
  for (const name of Object.keys(VARIABLES)) delete env[name];
  const [api, temporal, ui] = await freePorts(3);
  Object.assign(
    env,
    { DATA_DIR: dataDir, PORT: `${api}`, TEMPORAL_PORT: `${temporal}`, TEMPORAL_UI_PORT: `${ui}` },
    settings,
  );
  const [command, args] = startCommand(nodeFlags);
  const startedAt = performance.now();
  const child = new BenchChild(command, args, { cwd: projectRoot(), env });
  await child.printed(/^Ready in /m);
  const readySeconds = (performance.now() - startedAt) / 1000;
  // Our child is npm. The stack's lock file holds the pid of the stack itself.
  const pid = Number(readFileSync(path.join(dataDir, 'service.lock'), 'utf8').split(':')[0]);
  return {
    credentials: JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')) as Credentials,
    readySeconds,
    pid,
    rssMb: () => residentMb(pid),
    stop: () => child.stop(pid),
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await child.exited;
    },
  };
}

function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function startCommand(nodeFlags: readonly string[]): [string, string[]] {
  if (nodeFlags.length > 0) return [process.execPath, [...nodeFlags, path.join('embedded', 'start.mjs')]];
  const npm = process.env['npm_execpath'];
  return npm?.endsWith('.js') === true ? [process.execPath, [npm, 'start']] : ['npm', ['start']];
}

const LOG_LINES_SHOWN = 10;

/** The last lines of the service's log that are no plain news. Runs before the data folder is deleted. */
export function logTail(dataDir: string): string {
  const file = path.join(dataDir, 'service.log');
  if (!existsSync(file)) return '(there is none)';
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines
    .filter((line) => !line.includes('"level":"info"'))
    .slice(-LOG_LINES_SHOWN)
    .join('\n');
}
