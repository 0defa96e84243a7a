import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** Time for one command of a page: the longest waits for an approval that was just given. */
const COMMAND_TIMEOUT_MS = 120_000;

/** One bash that runs commands one after the other, so that a variable set by one is there for the next. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #output = '';

  constructor(options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#bash = spawn('bash', ['--noprofile', '--norc'], options);
    this.#bash.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk;
    });
    // One stream, so that the errors of a command come before the mark of its end. Processes that a page left in the background end with
    // the shell.
    this.#bash.stdin.write("exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n");
  }

  /** What the command prints. @throws {Error} where it fails, takes too long, or ends the shell. */
  async run(command: string): Promise<string> {
    const mark = `done-${randomUUID()}`;
    this.#output = '';
    this.#bash.stdin.write(`${command}\nprintf '\\n%s %s\\n' ${mark} $?\n`);
    const end = new RegExp(`\\n${mark} (\\d+)\\n$`);
    await this.#until(end, command);
    const output = this.#output.replace(end, '');
    const code = end.exec(this.#output)?.[1];
    if (code !== '0') throw new Error(`it ended with ${code}:\n${command}\n${output}`);
    return output.trimEnd();
  }

  async end(): Promise<void> {
    if (this.#bash.exitCode !== null) return;
    this.#bash.stdin.end();
    await once(this.#bash, 'close');
  }

  #until(end: RegExp, command: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (error: Error | null): void => {
        clearTimeout(timer);
        this.#bash.stdout.off('data', look);
        this.#bash.off('close', closed);
        if (error === null) resolve();
        else reject(error);
      };
      const look = (): void => {
        if (end.test(this.#output)) finish(null);
      };
      const closed = (): void => finish(new Error(`it ended the shell:\n${command}\n${this.#output}`));
      const timer = setTimeout(() => {
        finish(new Error(`it took more than ${COMMAND_TIMEOUT_MS / 1000} s:\n${command}\n${this.#output}`));
      }, COMMAND_TIMEOUT_MS);
      this.#bash.stdout.on('data', look);
      this.#bash.once('close', closed);
    });
  }
}
