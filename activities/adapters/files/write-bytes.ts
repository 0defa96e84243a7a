import type { FileHandle } from 'node:fs/promises';
import type { Bytes } from '../../../domain/files/file-store.ts';

/** Writes a source to an open file from its beginning, one chunk at a time: the source waits while the disk writes. */
export async function writeBytes(file: FileHandle, source: Bytes): Promise<number> {
  let size = 0;
  for await (const chunk of source) {
    for (let written = 0; written < chunk.byteLength;) {
      const { bytesWritten } = await file.write(chunk, written, chunk.byteLength - written, size + written);
      written += bytesWritten;
    }
    size += chunk.byteLength;
  }
  return size;
}
