import { createHash, randomUUID } from 'node:crypto';
import { beginConfirmation, endConfirmation, extendConfirmation, finishConfirmation } from '../../db/files/uploads.ts';
import { type FileRecord, getFile } from '../../db/files/files.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import type { FileStore, StoredFile } from '../../domain/files/file-store.ts';
import { defineRoute } from '../http/define-route.ts';
import { describeFailure } from '../../domain/failures.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { auditOf, fileParams, fileSchema, presentFile } from './schemas.ts';

export const confirmFileRoute = defineRoute({
  of: 'environment',
  id: 'files.confirm',
  method: 'POST',
  path: '/api/v2/files/{fileId}/confirm',
  summary: 'Confirm an upload',
  description:
    'Reads what was uploaded, and compares its size and its hash with what was promised. 409 `CONFLICT` where they differ: what was uploaded ' +
    'is removed, and can be uploaded again until the time is over. Confirming a file again answers it again.',
  scope: 'files:write',
  request: { params: fileParams },
  response: { 200: fileSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  expensive: true,
  ownsItsTransaction:
    'The bytes are read between two transactions; a lease keeps others from exchanging them meanwhile.',
  audited: 'recorded',
  async handler(context) {
    const { fileId } = context.params;
    const token = randomUUID();
    const file = await context.transaction(async (tx) => {
      const found = existing(await getFile(tx, fileId), 'file');
      if (found.status === 'pending' && !(await beginConfirmation(tx, fileId, token))) throw alreadyConfirming();
      return found;
    });
    if (file.status === 'ready') return { status: 200, data: presentFile(file) };
    const lease = { file, token };
    try {
      const sha256 = await checkedHash(context.deps.files, storedOf(context, fileId), file);
      return { status: 200, data: presentFile(await finish(context, lease, sha256)) };
    } catch (error) {
      if (error instanceof UploadDiffersError) await removeWrong(context, lease);
      else await release(context, lease);
      throw error;
    }
  },
});

type Context = EnvironmentHandlerContext<{ fileId: string }, unknown, unknown>;
interface Lease {
  file: FileRecord;
  token: string;
}

const storedOf = ({ caller }: Context, fileId: string): StoredFile => ({
  environmentId: caller.tenant.environmentId,
  fileId,
});

/** @throws {UploadDiffersError} when the upload differs from the promise; {ServiceError} CONFLICT when nothing was uploaded. */
async function checkedHash(files: FileStore, stored: StoredFile, promised: FileRecord): Promise<string> {
  const size = await files.promote(stored);
  if (size === null) {
    throw new ServiceError('CONFLICT', {
      message: 'Nothing was uploaded yet. PUT the bytes to the URL of `presign` first.',
    });
  }
  if (size !== promised.size) throw differs('size', promised.size, size);
  const bytes = await files.read(stored);
  if (bytes === null) throw new Error(`the content of file ${promised.id} was there and is gone`);
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    read += chunk.byteLength;
  }
  // A stream that ended early proves nothing about the stored bytes.
  if (read !== size) throw new Error(`of the ${size} bytes of file ${promised.id}, ${read} were read`);
  const sha256 = hash.digest('hex');
  if (promised.sha256 !== null && promised.sha256 !== sha256) throw differs('sha256', promised.sha256, sha256);
  return sha256;
}

async function finish(context: Context, { file, token }: Lease, sha256: string): Promise<FileRecord> {
  return context.transaction(async (tx) => {
    if (!(await finishConfirmation(tx, { fileId: file.id, token, sha256 }))) throw alreadyConfirming();
    const ready = await getFile(tx, file.id);
    if (ready === null) throw new Error(`file ${file.id} was confirmed and is gone`);
    const target = { type: 'file', id: file.id };
    await context.recordAudit(tx, { action: 'file.confirmed', target, details: auditOf(ready) });
    return ready;
  });
}

/** Removes wrong bytes before anybody else can read them, and ends the lease. If this fails, the lease expires. */
async function removeWrong(context: Context, { file, token }: Lease): Promise<void> {
  const { deps, caller, requestId } = context;
  try {
    const isOurs = await deps.db.withEnvironment(caller.tenant, (tx) => extendConfirmation(tx, file.id, token));
    if (!isOurs) return;
    await deps.files.removeContent(storedOf(context, file.id));
    await deps.db.withEnvironment(caller.tenant, (tx) => endConfirmation(tx, file.id, token));
  } catch (error) {
    const about = { requestId, fileId: file.id, failure: describeFailure(error) };
    deps.logger.warn(about, 'what a refused confirmation has read was not removed: the sweep does it');
  }
}

/**
 * The check was interrupted and proves nothing: the bytes stay, and another confirmation can start at once. If this fails too, the lease
 * expires.
 */
async function release({ deps, caller, requestId }: Context, { file, token }: Lease): Promise<void> {
  try {
    await deps.db.withEnvironment(caller.tenant, (tx) => endConfirmation(tx, file.id, token));
  } catch (error) {
    const about = { requestId, fileId: file.id, failure: describeFailure(error) };
    deps.logger.warn(about, 'the lease of a confirmation that failed was not ended: it ends by itself');
  }
}

/** The stored bytes differ from the promised ones: the upload cannot be confirmed any more. */
class UploadDiffersError extends ServiceError {
  override readonly name = 'UploadDiffersError';
}

function differs(what: 'size' | 'sha256', promised: number | string, stored: number | string): UploadDiffersError {
  return new UploadDiffersError('CONFLICT', {
    message: `What was uploaded is not what was promised: its ${what} is ${stored}, not ${promised}. It is removed; upload it again.`,
    details: { [what]: { promised, stored } },
  });
}

function alreadyConfirming(): ServiceError {
  return new ServiceError('CONFLICT', {
    message: 'The file is being confirmed, or its time is over. Read it, or confirm it again in a moment.',
  });
}
