import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A command of a page that goes on while the next ones run: `npm start`. */
export class Background {
  readonly #process: ChildProcess;
  #output = '';

  constructor(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
    const [program = '', ...args] = command.split(' ');
    this.#process = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#output += chunk;
      });
    }
  }

  /** Its output, once it has printed the text. @throws {Error} where it ends first. */
  async printed(text: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (this.#output.includes(text)) resolve();
      };
      this.#process.stdout?.on('data', look);
      this.#process.once('close', () => reject(new Error(`it ended before it printed "${text}":\n${this.#output}`)));
      this.#process.once('error', reject);
      look();
    });
    return this.#output;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    await once(this.#process, 'close');
  }
}
