import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const CONDITION_INTERVAL_MS = 50;
const STOP_GRACE_MS = 20_000;
/** Fields 4 and 22 of /proc/<pid>/stat, counted behind the parenthesised name, which may hold anything. */
const PARENT_FIELD = 1;
const START_TIME_FIELD = 19;

/** Identifies a process beyond its pid, because the system reuses pids. Returns null when there is no such process. */
export function processIdentity(pid: number): string | null {
  if (existsSync('/proc/self/stat')) {
    try {
      const fields = statOf(pid);
      return fields[0] === 'Z' ? null : `${pid}:${fields[START_TIME_FIELD]}`;
    } catch {
      return null; // it is gone
    }
  }
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return started === '' ? null : `${pid}:${started}`;
  } catch {
    return null; // ps exits with 1 if there is none
  }
}

/**
 * Pids of the processes that have this very text in one of their arguments. A child of one of them is not named beside it: a
 * backend of PostgreSQL has the arguments of its postmaster until its client's first packet has come.
 */
export function processesNaming(text: string): number[] {
  const naming = commandLines().filter(
    ({ pid, args }) => pid !== process.pid && args.some((arg) => arg === text || arg.endsWith(`=${text}`)),
  );
  const pids = new Set(naming.map(({ pid }) => pid));
  return naming.filter(({ parent }) => !pids.has(parent)).map(({ pid }) => pid);
}

/** Pids of the processes whose working directory is this one; empty where the system does not report it. A zombie has none. */
export function processesWorkingIn(folder: string): number[] {
  if (!existsSync('/proc/self/cwd')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingDirectory(name) === folder)
    .map(Number);
}

function workingDirectory(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null; // it ended just now, or belongs to another user
  }
}

interface CommandLine {
  pid: number;
  parent: number;
  args: string[];
}

function commandLines(): CommandLine[] {
  if (existsSync('/proc/self/cmdline')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => commandLineOf(Number(name)));
  }
  return execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, ...args]) => ({ pid: Number(pid), parent: Number(parent), args }));
}

/** Returns an empty list when the process ended just now. */
function commandLineOf(pid: number): CommandLine[] {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return [{ pid, parent: Number(statOf(pid)[PARENT_FIELD]), args }];
  } catch {
    return [];
  }
}

/**
 * Returns the fields of /proc/<pid>/stat from the state on.
 *
 * @throws when there is no such process.
 */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Ends processes of an earlier start, first with SIGTERM, then with SIGKILL, and returns when they are gone. */
export async function stopProcesses(pids: readonly number[], signal: NodeJS.Signals): Promise<void> {
  const deadline = Date.now() + STOP_GRACE_MS;
  let remaining = pids.map((pid) => ({ pid, identity: processIdentity(pid) }));
  for (const { pid } of remaining) send(pid, signal);
  let killed = false;
  for (;;) {
    remaining = remaining.filter(({ pid, identity }) => identity !== null && processIdentity(pid) === identity);
    if (remaining.length === 0) return;
    if (!killed && Date.now() > deadline) {
      for (const { pid } of remaining) send(pid, 'SIGKILL');
      killed = true;
    }
    await delay(CONDITION_INTERVAL_MS);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended already, as intended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
