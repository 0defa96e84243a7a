import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Credentials } from '../../embedded/credentials.ts';
import { freePorts as freeDistinctPorts } from '../../embedded/ports.ts';
import { projectRoot } from '../../process/project-root.ts';

const READY_LINE = 'Ctrl-C stops everything';

/** A program of the project in its own process, with its whole output. */
export class Program {
  readonly process: ChildProcess;
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  output = '';
  private readonly watchers = new Set<() => void>();

  constructor(args: readonly string[], env: Record<string, string>, command = process.execPath) {
    // Takes over no configuration from the environment, only what any program needs to run.
    const { PATH = '', HOME = '' } = process.env;
    this.process = spawn(command, args, { cwd: projectRoot(), env: { PATH, HOME, ...env } });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
        for (const watch of this.watchers) watch();
      });
    }
    this.exited = new Promise((resolve) => this.process.once('close', (code) => resolve(code)));
  }

  /** Waits for a text in the output. Throws with the whole output if the program ends first. */
  async printed(text: string): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const watch = (): void => {
        if (this.output.includes(text)) resolve();
      };
      this.watchers.add(watch);
      watch();
    });
    await Promise.race([
      seen,
      this.exited.then((code) => {
        if (this.output.includes(text)) return;
        throw new Error(`it ended with ${code} before it printed "${text}":\n${this.output}`);
      }),
    ]);
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.process.kill(signal);
    return this.exited;
  }
}

/** The ports of one stack, all free a moment ago. */
export async function freePorts(): Promise<Record<'PORT' | 'TEMPORAL_PORT' | 'TEMPORAL_UI_PORT', string>> {
  const [api, temporal, ui] = await freeDistinctPorts(3);
  return { PORT: String(api), TEMPORAL_PORT: String(temporal), TEMPORAL_UI_PORT: String(ui) };
}

/** `npm start` on a data folder: the process that npm would run. */
export function runStart(dataDir: string, env: Record<string, string>): Program {
  return new Program(['embedded/start.mjs'], { DATA_DIR: dataDir, ...env });
}

export async function startStackProcess(dataDir: string, env: Record<string, string>): Promise<Program> {
  const program = runStart(dataDir, env);
  await program.printed(READY_LINE);
  return program;
}

export function readCredentials(dataDir: string): Credentials {
  return JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
}
