import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Bytes } from '../../../domain/files/file-store.ts';
import { writeBytes } from './write-bytes.ts';

const PRIVATE_FILE = 0o600;
const CHUNK_BYTES = 65_536;

export interface Spooled extends AsyncDisposable {
  size: number;
  /** Hex. */
  sha256: string;
  /** Reads them from the beginning. It fails once this is disposed of; its own end leaves the file open. */
  stream(): Readable;
}

/** Writes a source, chunk by chunk, to a temporary file without a name, which ends with its process. */
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
      stream: () => Readable.from(chunksOf(file), { objectMode: false }),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Not a `ReadStream`: one of the handle keeps `close` waiting for its end, and one of the descriptor's number closes that number when it is
 * destroyed, also under `autoClose: false`. `close` then closes it again, which by then is another's socket.
 */
async function* chunksOf(file: FileHandle): Bytes {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* hashed(source: Bytes, hash: Hash): Bytes {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}
