import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OWNER_ONLY = 0o600;

/**
 * Writes a file that only its owner may read, atomically, also across a crash of the machine: it may hold the key that sealed everything in
 * the database.
 */
export function writePrivately(file: string, text: string, flush: (descriptor: number) => void = fsyncSync): void {
  const unfinished = `${file}.unfinished`;
  withOpen(unfinished, 'w', (descriptor) => {
    writeFileSync(descriptor, text);
    flush(descriptor);
  });
  renameSync(unfinished, file);
  // The rename itself survives a crash once the folder is flushed.
  withOpen(path.dirname(file), 'r', flush);
}

function withOpen(place: string, flags: 'r' | 'w', work: (descriptor: number) => void): void {
  const descriptor = openSync(place, flags, OWNER_ONLY);
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the file, after making it with `create` if it is missing. */
export function readOrCreatePrivately(file: string, create: () => string): string {
  if (!existsSync(file)) writePrivately(file, create());
  return readFileSync(file, 'utf8').trim();
}

/** The JSON of a file; null if there is no file. @throws {Error} for a damaged one, without its text: a key may be in it. */
export function readJsonFile(file: string): unknown {
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(
      `${file} is damaged: it holds no JSON. Restore it, or set DATA_DIR to another folder to begin from nothing.`,
    );
  }
}
