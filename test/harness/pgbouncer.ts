import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { Child, lostThePort } from '../../embedded/child-process.ts';
import { freePort } from '../../embedded/ports.ts';
import { giveTo, unprivileged } from '../../embedded/unprivileged.ts';
import { projectRoot } from '../../process/project-root.ts';
import { closesWithFile } from './closes-with-file.ts';
import type { Tool } from './tool.ts';

/** The first that keeps prepared statements in transaction mode. */
const VERSION_MIN = [1, 21] as const;
const READY_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 5_000;
const PORT_TRIES = 5;
const PASSABLE = 0o711;

/** PgBouncer of PATH, or what stands in the project's cache: Debian 12 has 1.18, which is too old. */
export function findPgBouncer(): Tool {
  const candidates = ['pgbouncer', path.join(projectRoot(), '.cache', 'pgbouncer', 'pgbouncer')];
  const reasons: string[] = [];
  for (const program of candidates) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    const [, major = 0, minor = 0] = (/PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? []).map(Number);
    if (status !== 0) continue;
    if (major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1])) return { program };
    reasons.push(`${program} is ${major}.${minor}, older than ${VERSION_MIN.join('.')}`);
  }
  return { missing: reasons[0] ?? 'there is no pgbouncer on PATH, nor in .cache/pgbouncer' };
}

export interface PgBouncer {
  /** The same database and login, through the pooler. */
  url: string;
  /** How many connections to PostgreSQL it opens at most for a database and a login. */
  poolSize: number;
}

/** Starts it as docs/ha.md says, in transaction mode, with fewer connections to the server than its clients have. It closes with the file. */
export async function startPgBouncer(program: string, databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, PASSABLE); // it refuses to run as root, and may have to run as another account
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = launch(program, folder, { databaseUrl, poolSize, port });
    const stop = async (): Promise<void> => {
      await child.stop('SIGINT', STOP_GRACE_MS);
      rmSync(folder, { recursive: true, force: true });
    };
    const url = new URL(databaseUrl);
    url.port = String(port);
    try {
      await child.waitUntil(() => letsIn(url.href), READY_TIMEOUT_MS);
      closesWithFile(stop);
      return { url: url.href, poolSize };
    } catch (error) {
      await stop();
      if (attempt >= PORT_TRIES || !lostThePort(error)) throw error;
    }
  }
}

function launch(
  program: string,
  folder: string,
  { databaseUrl, poolSize, port }: { databaseUrl: string; poolSize: number; port: number },
): Child {
  const server = new URL(databaseUrl);
  const [users, file] = [path.join(folder, 'users.txt'), path.join(folder, 'pgbouncer.ini')];
  writeFileSync(users, `"${server.username}" "${server.password}"\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_prepared_statements = 500
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
default_pool_size = ${poolSize}
`,
  );
  const account = unprivileged(program, folder);
  giveTo(folder, account);
  const [command, ...args] = [...account.prefix, program, file];
  return new Child({
    name: 'PgBouncer',
    command,
    args,
    logFile: path.join(folder, 'pgbouncer.log'),
    ...(account.uid === undefined ? {} : { uid: account.uid }),
    ...(account.gid === undefined ? {} : { gid: account.gid }),
    signalOnParentDeath: 'SIGINT',
  });
}

async function letsIn(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false; // not yet: the log of one that never does is in the error
  }
}
