import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { digestOfText, readRecord } from '../../domain/archive/archived-record.ts';
import { type Manifest, manifestSchema } from '../../domain/archive/manifest.ts';
import { isUuid } from '../../domain/uuid.ts';
import { dataPath, listArchives, manifestPath, measure } from './files.ts';

/** An archive that is not what its manifest says. */
export class BrokenArchiveError extends Error {}

const NEWLINE = 0x0a;

/** Reads a file of an archive from the disk and says what is in it; each receipt is checked. @throws {BrokenArchiveError} */
export async function readManifestOf(folder: string, archive: string): Promise<Manifest> {
  const file = dataPath(folder, archive);
  if (!existsSync(file)) throw new BrokenArchiveError(`${archive}: the file is missing`);
  const [environmentId] = archive.split('/');
  const invocations: Manifest['invocations'] = [];
  const seen = new Set<string>();
  try {
    for await (const line of linesOf(file)) {
      const record = readRecord(line.toString('utf8'));
      const place = `${archive}, ${record.invocationId}`;
      if (record.environmentId !== environmentId)
        throw new BrokenArchiveError(`${place}: it is of another environment`);
      if (seen.has(record.invocationId)) throw new BrokenArchiveError(`${place}: it is there twice`);
      if (record.receiptProblem !== null) throw new BrokenArchiveError(`${place}: ${record.receiptProblem}`);
      seen.add(record.invocationId);
      invocations.push({ id: record.invocationId, sha256: digestOfText(line) });
    }
  } catch (error) {
    if (error instanceof BrokenArchiveError) throw error;
    throw new BrokenArchiveError(
      `${archive}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return { format: 1, archive, ...(await measure(file)), invocations };
}

/** The manifest that stands beside the file, after all of the file was compared with it. @throws {BrokenArchiveError} */
export async function verifyArchive(folder: string, archive: string): Promise<Manifest> {
  const said = await manifestBeside(folder, archive);
  if (said === null) throw new BrokenArchiveError(`${archive}: it has no manifest`);
  const { invocations, ...read } = await readManifestOf(folder, archive);
  const differing = invocations.findIndex((line, at) => !isSame(line, said.invocations[at]));
  if (differing !== -1) {
    throw new BrokenArchiveError(`${archive}, ${invocations[differing]?.id}: the line is not the one of the manifest`);
  }
  if (invocations.length !== said.invocations.length) {
    throw new BrokenArchiveError(
      `${archive}: ${invocations.length} lines, and ${said.invocations.length} in the manifest`,
    );
  }
  if (read.archive !== said.archive || read.bytes !== said.bytes || read.sha256 !== said.sha256) {
    throw new BrokenArchiveError(`${archive}: the file is not the one of the manifest`);
  }
  return said;
}

export async function manifestBeside(folder: string, archive: string): Promise<Manifest | null> {
  const file = manifestPath(folder, archive);
  if (!existsSync(file)) return null;
  try {
    return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw new BrokenArchiveError(`${archive}: the manifest cannot be read`);
  }
}

/** `npm run archive -- --verify`: every archive of a folder, without a database. */
export async function verifyFolder(folder: string): Promise<{ files: number; invocations: number; faults: string[] }> {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  const found = { files: 0, invocations: 0, faults: [] as string[] };
  for (const environmentId of (await readdir(folder)).filter(isUuid).toSorted()) {
    for (const archive of await listArchives(folder, environmentId)) {
      found.files++;
      try {
        found.invocations += (await verifyArchive(folder, archive)).invocations.length;
      } catch (error) {
        if (!(error instanceof BrokenArchiveError)) throw error;
        found.faults.push(error.message);
      }
    }
  }
  return found;
}

function isSame(one: Manifest['invocations'][number], other: Manifest['invocations'][number] | undefined): boolean {
  return one.id === other?.id && one.sha256 === other.sha256;
}

/** The lines of a compressed file as bytes. A reader of lines of text would also cut at other separators, which JSON may hold. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const text = pipeline(createReadStream(file), createGunzip(), () => undefined); // a failure ends the iteration
  let begun: Buffer[] = [];
  for await (const chunk of text as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) throw new Error('the last line does not end');
}
