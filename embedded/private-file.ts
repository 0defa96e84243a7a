import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/** Writes a file that its owner alone may read; whoever reads it meanwhile sees the old or the new one, never half. */
export function writePrivately(file: string, text: string): void {
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, text, { mode: OWNER_ONLY });
  renameSync(unfinished, file);
}

/** Reads it, after making it with `create` where it is not there yet. */
export function readOrCreatePrivately(file: string, create: () => string): string {
  if (!existsSync(file)) writePrivately(file, create());
  return readFileSync(file, 'utf8').trim();
}

/** The JSON of a file; null where there is none. */
export function readJsonFile(file: string): unknown {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : null;
}
