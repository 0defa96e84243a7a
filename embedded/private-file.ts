import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/** Writes a file that only its owner may read. The write is atomic: a reader sees the old or the new text, never half. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, text, { mode: OWNER_ONLY });
  renameSync(unfinished, file);
}

/** Reads the file, after making it with `create` if it is missing. */
export function readOrCreatePrivately(file: string, create: () => string): string {
  if (!existsSync(file)) writePrivately(file, create());
  return readFileSync(file, 'utf8').trim();
}

/** The JSON of a file; null if there is no file. */
export function readJsonFile(file: string): unknown {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : null;
}
