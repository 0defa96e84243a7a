import { createHash } from 'node:crypto';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findAttachable } from '../../db/files/files.ts';
import type { BodyPart } from '../../domain/adapters/adapter-descriptor.ts';
import type { Attachment } from '../../domain/files/attachments.ts';
import type { Bytes, FileStore } from '../../domain/files/file-store.ts';
import type { Refusal } from '../../domain/refusals.ts';

export function filesIn(parts: readonly BodyPart[] | undefined): Attachment[] {
  const files = (parts ?? []).flatMap((part) => ('file' in part ? [part.file] : []));
  return [...new Map(files.map((file) => [file.id, file])).values()];
}

/** Whether each file of a request is still on record, with the content that the request is bound to. */
export async function checkFiles(tx: EnvironmentTransaction, files: readonly Attachment[]): Promise<Refusal | null> {
  if (files.length === 0) return null;
  const ids = files.map(({ id }) => id);
  const found = new Map((await findAttachable(tx, ids)).map((file) => [file.id, file]));
  for (const { id, sha256 } of files) {
    const file = found.get(id);
    if (file === undefined) return refused(id, 'was deleted meanwhile');
    if (file.sha256 !== sha256) return refused(id, 'has another content than the one that was agreed to');
  }
  return null;
}

/** Reads every byte of the files once, before the first one is sent: what the store has lost or exchanged must refuse the request whole. */
export async function checkBytes(
  store: FileStore,
  environmentId: string,
  files: readonly Attachment[],
  signal: AbortSignal,
): Promise<Refusal | null> {
  for (const file of files) {
    const bytes = await store.read({ environmentId, fileId: file.id });
    if (bytes === null) return refused(file.id, 'is not in the store any more');
    const hash = createHash('sha256');
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      hash.update(chunk);
    }
    if (hash.digest('hex') !== file.sha256) return refused(file.id, 'has other bytes in the store than on record');
  }
  return null;
}

/** Streams a file out of the store. Its last chunk is held back until the digest of all is known. */
export async function* attachedBytes(store: FileStore, environmentId: string, file: Attachment): Bytes {
  const bytes = await store.read({ environmentId, fileId: file.id });
  if (bytes === null) throw new Error(`file ${file.id} went away while it was sent`);
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const chunk of bytes) {
    hash.update(chunk);
    if (held !== null) yield held;
    held = chunk;
  }
  if (hash.digest('hex') !== file.sha256) throw new Error(`file ${file.id} was exchanged while it was sent`);
  if (held !== null) yield held;
}

function refused(fileId: string, why: string): Refusal {
  return { code: 'attachment_changed', message: `file ${fileId} ${why}`, details: { fileId } };
}
