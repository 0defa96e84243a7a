import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Bytes } from '../../../domain/files/file-store.ts';
import { writeBytes } from './write-bytes.ts';

const PRIVATE_FILE = 0o600;

/** Bytes that were written to this machine's disk on their way. */
export interface Spooled extends AsyncDisposable {
  size: number;
  /** Hex. */
  sha256: string;
  /** Reads them from the beginning. */
  stream(): Readable;
}

/**
 * Writes a source to a temporary file without a name, which is gone with its process, however that ends. It holds one chunk of the source
 * in memory.
 */
export async function spool(source: Bytes): Promise<Spooled> {
  const name = path.join(tmpdir(), `upload-${randomUUID()}`);
  const file = await open(name, 'wx+', PRIVATE_FILE);
  try {
    await rm(name);
    const hash = createHash('sha256');
    const size = await writeBytes(file, hashed(source, hash));
    return {
      size,
      sha256: hash.digest('hex'),
      // By its number: a stream of the handle would keep `close` waiting for it.
      stream: () => createReadStream('', { fd: file.fd, start: 0, autoClose: false }),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* hashed(source: Bytes, hash: Hash): Bytes {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
