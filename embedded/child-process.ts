import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const LOG_TAIL_LINES = 12;
const CONDITION_INTERVAL_MS = 25;

export interface ChildOptions {
  name: string;
  command: string;
  args: readonly string[];
  /** Standard output and error are appended here: a file outlives our process, a pipe would not. */
  logFile: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Sent to the child when this process dies, however it dies. */
  signalOnParentDeath: NodeJS.Signals;
  /** By default the kernel where it supports that, otherwise a shell at the other end of a pipe. */
  parentDeathNoticedBy?: 'kernel' | 'pipe';
}

/** A server process that we start. It runs in its own session, so that Ctrl-C reaches only us and we stop the servers in order. */
export class Child {
  readonly name: string;
  readonly exited: Promise<void>;
  private readonly process: ChildProcess;
  private readonly logFile: string;
  private ended = false;

  constructor(options: ChildOptions) {
    this.name = options.name;
    this.logFile = options.logFile;
    const byKernel = (options.parentDeathNoticedBy ?? noticedBy()) === 'kernel';
    const [command, ...args] = byKernel ? withParentDeathSignal(options) : [options.command, ...options.args];
    const log = openSync(options.logFile, 'a', 0o600);
    this.process = spawn(command ?? options.command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env ?? process.env,
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    closeSync(log);
    const watcher = byKernel ? null : watchForParentDeath(this.pid, options.signalOnParentDeath);
    const killOnExit = (): void => {
      watcher?.kill('SIGKILL');
      this.process.kill(options.signalOnParentDeath);
    };
    process.once('exit', killOnExit);
    this.exited = new Promise((resolve) => {
      const finish = (): void => {
        this.ended = true;
        watcher?.kill('SIGKILL');
        process.removeListener('exit', killOnExit);
        resolve();
      };
      this.process.once('exit', finish);
      this.process.once('error', finish);
    });
  }

  get pid(): number {
    return this.process.pid ?? -1;
  }

  get running(): boolean {
    return !this.ended;
  }

  /** Waits until `condition` holds; throws with the end of the log if the child ends or the time runs out first. */
  async waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const holds = await condition();
      // Checked after the condition: the child may have ended and another process answered in its place.
      if (this.ended) throw new ChildFailedError(`${this.name} ended before it was ready`, this.logTail());
      if (holds) return;
      if (Date.now() > deadline) {
        throw new ChildFailedError(`${this.name} was not ready within ${timeoutMs / 1000} s`, this.logTail());
      }
      await delay(CONDITION_INTERVAL_MS);
    }
  }

  /** Signals it to end, and kills it if it has not ended within `graceMs`. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    if (this.ended) return;
    this.process.kill(signal);
    const timer = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  logTail(): string {
    return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  }
}

export class ChildFailedError extends Error {
  readonly logTail: string;
  constructor(message: string, logTail: string) {
    super(logTail === '' ? message : `${message}. The end of its log:\n${logTail}`);
    this.logTail = logTail;
  }
}

/** PostgreSQL and Temporal print "bind" or "address already in use" if another process took the port first. */
export function lostThePort(error: unknown): boolean {
  return error instanceof ChildFailedError && /could not bind|address already in use|bind: /i.test(error.logTail);
}

let kernelTells: boolean | undefined;

/** `setpriv --pdeathsig` (util-linux) has the kernel signal the child when its parent dies, even by SIGKILL. */
function noticedBy(): 'kernel' | 'pipe' {
  kernelTells ??= spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore' }).status === 0;
  return kernelTells ? 'kernel' : 'pipe';
}

function withParentDeathSignal(options: ChildOptions): string[] {
  const command = [options.command, ...options.args];
  const prefix = ['setpriv', '--pdeathsig', options.signalOnParentDeath.replace('SIG', '')];
  // A change of credentials clears the kernel's note, so it is set inside the user namespace.
  if (options.command !== 'unshare') return [...prefix, ...command];
  const own = command.findIndex((part, index) => index > 0 && !part.startsWith('-'));
  return [...command.slice(0, own), ...prefix, ...command.slice(own)];
}

/** A shell whose input ends when we die; it then signals the child. The shell ends with the child. */
function watchForParentDeath(pid: number, signal: NodeJS.Signals): ChildProcess | null {
  if (pid < 0) return null; // it could not be started
  const script = 'while read -r _; do :; done; kill -s "$1" "$2"';
  const watcher = spawn('sh', ['-c', script, 'sh', signal.replace('SIG', ''), String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  watcher.on('error', () => undefined); // without a shell, the next start ends the processes that this one left
  return watcher;
}
