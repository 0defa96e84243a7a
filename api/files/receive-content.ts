import { z } from 'zod';
import { getFile } from '../../db/files/files.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { DIRECT_FILE_BYTES_MAX } from '../../domain/files/files.ts';
import type { Bytes } from '../../domain/files/file-store.ts';
import type { IncomingMessage } from 'node:http';
import { RequestAbortedError } from '../http/client-gone.ts';
import { defineRoute } from '../http/define-route.ts';
import { largest, metered } from './metered.ts';
import { fileParams } from './schemas.ts';
import { isSigned } from './signed-path.ts';

const receivedSchema = z.strictObject({ received: z.int().min(0).describe('Bytes.') });

export const receiveContentRoute = defineRoute({
  of: 'public',
  id: 'files.content',
  method: 'PUT',
  path: '/api/v2/files/{fileId}/content',
  summary: 'Upload to a presigned URL',
  description:
    'The `url` of `presign`, where the store is a folder. Its signature is the credential. A body that is longer than was promised is ' +
    'refused while it is sent; until it is confirmed, another upload replaces it.',
  request: {
    params: fileParams,
    query: z.strictObject({
      workspace: z.uuid(),
      environment: z.uuid(),
      expires: z.string().regex(/^\d{13}$/),
      signature: z.string().max(200),
    }),
  },
  response: { 200: receivedSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  expensive: true,
  bodyBytesMax: DIRECT_FILE_BYTES_MAX,
  streamedBody: { mediaType: null, schema: { type: 'string', format: 'binary' } },
  ownsItsTransaction: 'The bytes are streamed to the store: no transaction waits for a client.',
  audited: 'none: the file was presigned, which has an entry; it is nothing before it is confirmed, which has another',
  exempt: {
    unknownFields: 'Its body is bytes: test/api/files/presign.test.ts.',
    bodies: 'Its body is bytes: test/api/files/presign.test.ts.',
  },
  async handler({ params: { fileId }, query, incoming, deps }) {
    const tenant = { workspaceId: query.workspace, environmentId: query.environment };
    const expiresAt = new Date(Number(query.expires));
    if (!isSigned(deps.links, { ...tenant, fileId, expiresAt }, query.signature) || expiresAt <= new Date()) {
      throw new ServiceError('AUTHORIZATION_ERROR', {
        message: 'This upload URL is not valid, or its time is over. Presign the file again.',
      });
    }
    const upload = deps.uploads.open(tenant.workspaceId);
    try {
      const file = existing(
        await deps.db.withEnvironment(tenant, (tx) => getFile(tx, fileId), { readOnly: true }),
        'file',
      );
      if (file.status === 'ready') {
        throw new ServiceError('CONFLICT', { message: 'The file is confirmed, and does not change any more.' });
      }
      const body = metered(readGently(incoming), largest(file.size));
      await deps.files.put({ environmentId: tenant.environmentId, fileId }, 'incoming', body.bytes);
      return { status: 200, data: { received: body.size() } };
    } finally {
      upload.leave();
      incoming.resume();
    }
  },
});

/** A refusal must not end the connection on which the client waits for it; the rest is discarded. */
async function* readGently(incoming: IncomingMessage): Bytes {
  if (incoming.destroyed) throw new RequestAbortedError();
  try {
    yield* incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw incoming.complete ? error : new RequestAbortedError();
  }
}
