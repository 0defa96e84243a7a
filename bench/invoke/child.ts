import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STOP_GRACE_MS = 30_000;

/** A process of the benchmark. It exits when its standard input closes, so no process outlives a killed benchmark. */
export class BenchChild {
  readonly process: ChildProcess;
  readonly exited: Promise<void>;
  private output = '';
  private readonly watchers = new Set<() => void>();

  constructor(command: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
    this.process = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
        for (const watch of this.watchers) watch();
      });
    }
    this.exited = new Promise((resolve) => {
      this.process.once('close', () => resolve());
      this.process.once('error', (error) => {
        this.output += error.message;
        resolve();
      });
    });
  }

  /** Waits for a match in the output. Throws with the whole output if the process ends first. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const seen = new Promise<RegExpExecArray>((resolve) => {
      const watch = (): void => {
        const match = pattern.exec(this.output);
        if (match !== null) resolve(match);
      };
      this.watchers.add(watch);
      watch();
    });
    const ended = this.exited.then(() => {
      throw new Error(`a process of the benchmark ended early:\n${this.output}`);
    });
    return Promise.race([seen, ended]);
  }

  /** Signals `pid` (by default its own) to end, and waits until this process has ended. */
  async stop(pid = this.process.pid): Promise<void> {
    if (this.process.exitCode === null && pid !== undefined) process.kill(pid, 'SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_GRACE_MS);
    await this.exited;
    clearTimeout(timer);
  }
}

/** The line that a module prints when it is ready. */
export interface Ready {
  /** 0 if it listens on no port. */
  port: number;
}

/** Starts one of the compiled modules beside this one, and waits until it is ready. */
export async function startModule(name: string, args: readonly string[]): Promise<{ child: BenchChild; ready: Ready }> {
  const child = new BenchChild(process.execPath, [fileURLToPath(new URL(name, import.meta.url)), ...args]);
  const [, line = 'null'] = await child.printed(/^(\{.*\})$/m);
  return { child, ready: JSON.parse(line) as Ready };
}

/** Called by such a module. Prints that it is ready, and ends the module when the benchmark ends. */
export function announceReady(ready: Ready): void {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  process.stdin.on('end', () => process.exit(0)).resume();
}
