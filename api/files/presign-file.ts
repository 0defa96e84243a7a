import { insertPendingFile } from '../../db/files/uploads.ts';
import { validationError } from '../../domain/errors.ts';
import type { UploadTarget } from '../../domain/files/file-store.ts';
import { DEFAULT_CONTENT_TYPE, UPLOAD_TTL_SECONDS } from '../../domain/files/files.ts';
import { newId } from '../../domain/ids.ts';
import { defineRoute } from '../http/define-route.ts';
import { auditOf, presignBody, presignedSchema } from './schemas.ts';
import { signedPath } from './signed-path.ts';

interface Presigned {
  fileId: string;
  target: UploadTarget;
  expiresAt: Date;
}

export const presignFileRoute = defineRoute({
  of: 'environment',
  id: 'files.presign',
  method: 'POST',
  path: '/api/v2/files/presign',
  summary: 'Ask where to upload a file',
  description:
    'Answers a URL to `PUT` the bytes to, with the `headers` of the answer and without a credential; where the store is S3, it leads there. ' +
    'Then `confirm`. What is not confirmed within an hour is removed. Its size counts from now on. It takes no Idempotency-Key: the URL is ' +
    'a credential, which no recorded reply may hold.',
  scope: 'files:write',
  request: { body: presignBody },
  response: { 201: presignedSchema },
  errors: ['QUOTA_EXCEEDED'],
  expensive: true,
  async prepare({ body, caller, deps }): Promise<Presigned> {
    const { files, links, pagesUrl } = deps;
    if (body.size > files.presignedBytesMax) {
      throw validationError([{ path: 'body.size', message: `must be at most ${files.presignedBytesMax} here` }]);
    }
    const fileId = newId('file');
    const expiresAt = new Date(Date.now() + UPLOAD_TTL_SECONDS * 1_000);
    const contentType = body.contentType ?? DEFAULT_CONTENT_TYPE;
    if (files.presign !== null) {
      const { size, sha256 = null } = body;
      const upload = { contentType, size, sha256, expiresInSeconds: UPLOAD_TTL_SECONDS };
      const { environmentId } = caller.tenant;
      return { fileId, expiresAt, target: await files.presign({ environmentId, fileId }, upload) };
    }
    const url = `${pagesUrl ?? ''}${signedPath(links, { ...caller.tenant, fileId, expiresAt })}`;
    return { fileId, expiresAt, target: { url, headers: { 'Content-Type': contentType } } };
  },
  async change(tx, { body, actor, deps }, { fileId, target, expiresAt }) {
    const { filename, contentType = DEFAULT_CONTENT_TYPE, size, sha256 = null, purpose = null, metadata = {} } = body;
    const file = { id: fileId, filename, contentType, size, sha256, purpose, metadata, createdBy: actor };
    const isSentToStore = deps.files.presign !== null;
    await insertPendingFile(tx, { ...file, upload: 'presigned', isSentToStore });
    return {
      reply: {
        status: 201,
        data: {
          fileId,
          url: target.url,
          method: 'PUT' as const,
          headers: target.headers,
          expiresAt: expiresAt.toISOString(),
        },
      },
      audit: { action: 'file.presigned', target: { type: 'file', id: fileId }, details: auditOf({ filename, size }) },
    };
  },
});
