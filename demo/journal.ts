import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A file of JSON lines, one for each thing that was done, so that a restarted demo still knows it. */
export class Journal<Entry> {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  read(): Entry[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    // A killed process may have left half a line, which nobody was answered for.
    const whole = lines.slice(0, -1).filter(Boolean);
    return whole.map((line) => JSON.parse(line) as Entry);
  }

  /** Replaces the file, and with it half a line at its end. */
  rewrite(entries: readonly Entry[]): void {
    writeFileSync(this.#file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 });
  }

  append(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
