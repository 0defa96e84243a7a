import { z } from 'zod';
import { type FileRecord, forgetFile, getFile } from '../../db/files/files.ts';
import { endFailedUpload, finishUpload, insertPendingFile } from '../../db/files/uploads.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { StoredFile } from '../../domain/files/file-store.ts';
import { DEFAULT_CONTENT_TYPE, DIRECT_FILE_BYTES_MAX, MULTIPART_OVERHEAD_BYTES_MAX } from '../../domain/files/files.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { EnvironmentHandlerContext } from '../http/route-forms.ts';
import { defineRoute } from '../http/define-route.ts';
import { parseJsonText } from '../http/json-text.ts';
import { describeFailure } from '../../domain/failures.ts';
import { validatePart } from '../http/validate-request.ts';
import { type Bound, largest, metered, type Metered } from './metered.ts';
import { type FilePart, readMultipart } from './multipart.ts';
import { auditOf, contentTypeSchema, filenameSchema, fileNotes, fileSchema, presentFile } from './schemas.ts';

export const uploadFileRoute = defineRoute({
  of: 'environment',
  id: 'files.upload',
  method: 'POST',
  path: '/api/v2/files',
  summary: 'Upload a file',
  description:
    'As multipart/form-data, with the parts `file` and, where you like, `purpose` and `metadata` (a JSON object). It is streamed to the ' +
    'store. A file of up to 100 MiB; a larger one is refused with 413 as soon as that is known. For larger files see `presign`.',
  scope: 'files:write',
  response: { 201: fileSchema },
  errors: ['QUOTA_EXCEEDED'],
  expensive: true,
  bodyBytesMax: DIRECT_FILE_BYTES_MAX + MULTIPART_OVERHEAD_BYTES_MAX,
  streamedBody: {
    mediaType: 'multipart/form-data',
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary' },
        purpose: { type: 'string', minLength: 1, maxLength: 64 },
        metadata: { type: 'object', description: 'As JSON.' },
      },
      additionalProperties: false,
    },
  },
  openUpload: (deps, workspaceId) => deps.uploads.open(workspaceId),
  ownsItsTransaction:
    'The bytes are streamed to the store between two transactions: no transaction waits for a client.',
  audited: 'recorded',
  exempt: {
    unknownFields: 'Its body is multipart: test/api/files/upload.test.ts.',
    bodies: 'Its body is multipart: test/api/files/upload.test.ts.',
  },
  async handler(context) {
    const upload = new DirectUpload(context);
    try {
      const { fields } = await readMultipart(context.incoming, (part) => upload.receive(part));
      return { status: 201, data: presentFile(await upload.finish(notesOf(fields))) };
    } catch (error) {
      await upload.abandon();
      throw error;
    }
  },
});

type Context = EnvironmentHandlerContext<unknown, unknown, unknown>;
type Notes = z.output<typeof notesSchema>;

/**
 * The row is written before the first byte and becomes ready after the last. A crash in between, or a failed clean-up, leaves a row that
 * expires; the sweep removes it with its bytes.
 */
class DirectUpload {
  private readonly context: Context;
  private begun: (StoredFile & { body: Metered }) | null = null;
  /** The store has all bytes but did not confirm them: they may appear later. */
  private isUnanswered = false;

  constructor(context: Context) {
    this.context = context;
  }

  async receive({ filename, contentType, bytes }: FilePart): Promise<void> {
    const { caller, actor, deps, incoming, transaction } = this.context;
    const named = validatePart('body', namedSchema, { file: filename }) as z.output<typeof namedSchema>;
    const typed = contentTypeSchema.safeParse(contentType);
    const { environmentId } = caller.tenant;
    const fileId = newId('file');
    const room = await transaction((tx) =>
      insertPendingFile(tx, {
        id: fileId,
        upload: 'direct',
        isSentToStore: false,
        filename: named.file,
        contentType: typed.success ? typed.data : DEFAULT_CONTENT_TYPE,
        size: leastFileBytes(incoming.headers['content-length']),
        sha256: null,
        purpose: null,
        metadata: {},
        createdBy: actor,
      }),
    );
    this.begun = { environmentId, fileId, body: metered(bytes, boundOf(room)) };
    try {
      await deps.files.put(this.begun, 'content', this.begun.body.bytes);
    } catch (error) {
      this.isUnanswered = this.begun.body.isWhole();
      throw error;
    }
  }

  /** Checks the credential again: a caller who lost it during the upload stores nothing. */
  async finish({ purpose, metadata }: Notes): Promise<FileRecord> {
    const { begun } = this;
    if (begun === null) throw new Error('an upload is finished once its file has been received');
    const { fileId, body } = begun;
    const notes = { purpose: purpose ?? null, metadata: metadata ?? {} };
    const done = { fileId, size: body.size(), sha256: body.sha256(), ...notes };
    const file = await this.context.transaction(async (tx) => {
      if (!(await finishUpload(tx, done))) throw tookTooLong();
      const stored = await requireStored(tx, fileId);
      await this.context.recordAudit(tx, {
        action: 'file.uploaded',
        target: { type: 'file', id: fileId },
        details: auditOf(stored),
      });
      return stored;
    });
    this.begun = null;
    return file;
  }

  /**
   * Removes a refused upload's bytes before the row, so that a crash leaves the row that leads to them. Reads the record first: the file
   * may exist although the commit's answer was lost.
   */
  async abandon(): Promise<void> {
    const { begun } = this;
    if (begun === null) return;
    const { deps, caller, requestId } = this.context;
    const { fileId } = begun;
    try {
      if (!(await deps.db.withEnvironment(caller.tenant, (tx) => endFailedUpload(tx, fileId)))) return;
      await deps.files.remove(begun);
      // The row leads the sweep to late bytes.
      if (!this.isUnanswered) await deps.db.withEnvironment(caller.tenant, (tx) => forgetFile(tx, fileId));
    } catch (error) {
      const context = { requestId, fileId, failure: describeFailure(error) };
      deps.logger.warn(context, 'what a refused upload has stored was not removed: the sweep does it');
    }
  }
}

/**
 * Bytes to reserve of the plan's storage: the least file size in a form of this length. The quota counts the file only, so reserving more
 * would refuse a file that just fits. Further bytes are bounded on arrival and counted at the end.
 */
function leastFileBytes(contentLength = '0'): number {
  return Math.min(Math.max(Number(contentLength) - MULTIPART_OVERHEAD_BYTES_MAX, 0), DIRECT_FILE_BYTES_MAX);
}

/** `room`: largest file that fits in the plan's storage; null without a limit. */
function boundOf(room: number | null): Bound {
  if (room === null || room >= DIRECT_FILE_BYTES_MAX) return largest(DIRECT_FILE_BYTES_MAX);
  const message = `The file is larger than the ${room} bytes that are left of the plan's storage. Delete files; a larger plan has more. Nothing was stored.`;
  return { bytesMax: room, refusal: () => new ServiceError('QUOTA_EXCEEDED', { message }) };
}

const notesSchema = z.strictObject(fileNotes);
const namedSchema = z.strictObject({ file: filenameSchema });

/** Text parts of a form are checked like JSON members. */
function notesOf(fields: ReadonlyMap<string, string>): Notes {
  const [purpose, metadata] = [fields.get('purpose'), fields.get('metadata')];
  const notes = {
    ...(purpose === undefined ? {} : { purpose: parseJsonText(JSON.stringify(purpose), { path: 'body.purpose' }) }),
    ...(metadata === undefined ? {} : { metadata: parseJsonText(metadata, { path: 'body.metadata' }) }),
  };
  return validatePart('body', notesSchema, notes) as Notes;
}

async function requireStored(tx: EnvironmentTransaction, fileId: string): Promise<FileRecord> {
  const file = await getFile(tx, fileId);
  if (file === null) throw new Error(`file ${fileId} was stored and is gone`);
  return file;
}

function tookTooLong(): ServiceError {
  return new ServiceError('CONFLICT', {
    message: 'The upload took longer than an hour, and nothing of it is kept. Send it again.',
  });
}
