import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Manifest } from '../../domain/archive/manifest.ts';

const DATA = '.ndjson.gz';
const MANIFEST = '.manifest.json';
const TEMPORARY = '.tmp-';

export const dataPath = (folder: string, archive: string): string => path.join(folder, `${archive}${DATA}`);
export const manifestPath = (folder: string, archive: string): string => path.join(folder, `${archive}${MANIFEST}`);

/** The archives in a folder's environment, by name, whether data or manifest is missing. */
export async function listArchives(folder: string, environmentId: string): Promise<string[]> {
  const files = await readdir(path.join(folder, environmentId)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = files
    .filter((file) => !file.startsWith(TEMPORARY) && (file.endsWith(DATA) || file.endsWith(MANIFEST)))
    .map((file) => file.slice(0, -(file.endsWith(DATA) ? DATA : MANIFEST).length));
  return [...new Set(names)].toSorted().map((name) => `${environmentId}/${name}`);
}

/** Removes what a killed command was writing. Nothing was deleted from the database for it. */
export async function removeTemporary(folder: string, environmentId: string): Promise<void> {
  const directory = path.join(folder, environmentId);
  await mkdir(directory, { recursive: true });
  const files = await readdir(directory);
  for (const file of files) if (file.startsWith(TEMPORARY)) await rm(path.join(directory, file));
}

/** The next name of a month that no file has. */
export async function nextName(folder: string, environmentId: string, month: string): Promise<string> {
  const begin = `${environmentId}/${month}-`;
  const taken = (await listArchives(folder, environmentId)).filter((name) => name.startsWith(begin));
  const numbers = taken.map((name) => Number(name.slice(begin.length))).filter(Number.isInteger);
  return `${begin}${Math.max(0, ...numbers) + 1}`;
}

/**
 * Writes the lines of an archive under its name: to a temporary file, on the disk, and then by a link, which never replaces a file that is
 * there. A kill leaves a temporary file, or the whole one.
 */
export async function writeData(folder: string, archive: string, lines: AsyncIterable<string>): Promise<void> {
  const file = dataPath(folder, archive);
  const temporary = temporaryOf(file);
  async function* text(): AsyncGenerator<string> {
    for await (const line of lines) yield `${line}\n`;
  }
  await pipeline(Readable.from(text()), createGzip(), createWriteStream(temporary, { flags: 'wx', mode: 0o600 }));
  await publish(temporary, file);
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = manifestPath(folder, manifest.archive);
  const temporary = temporaryOf(file);
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
  } finally {
    await handle.close();
  }
  await publish(temporary, file);
}

/** Removes an archive whose records stay. A kill between the two leaves a file whose records are in the database. */
export async function removeArchive(folder: string, archive: string): Promise<void> {
  await rm(manifestPath(folder, archive), { force: true });
  await rm(dataPath(folder, archive));
}

/** Digest and size of a file as it is on the disk. */
export async function measure(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { sha256: `sha256:${hash.digest('hex')}`, bytes: (await stat(file)).size };
}

function temporaryOf(file: string): string {
  return path.join(path.dirname(file), `${TEMPORARY}${path.basename(file)}`);
}

async function publish(temporary: string, file: string): Promise<void> {
  await sync(temporary);
  await link(temporary, file);
  await rm(temporary);
  await sync(path.dirname(file));
  await sync(path.dirname(path.dirname(file))); // the folder of the environment may be new
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
