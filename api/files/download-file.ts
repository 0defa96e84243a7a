import { z } from 'zod';
import { getFile } from '../../db/files/files.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import { attachmentDisposition, byteRangeOf } from '../../domain/files/files.ts';
import { defineRoute } from '../http/define-route.ts';
import { fileParams } from './schemas.ts';

const bytes = z.null();

export const downloadFileRoute = defineRoute({
  of: 'environment',
  id: 'files.download',
  method: 'GET',
  path: '/api/v2/files/{fileId}/download',
  summary: 'Download a file',
  description:
    'The bytes, with the Content-Type that the file was stored with; always as an attachment, and never to be sniffed. `Range` with one ' +
    'range of bytes answers 206, and 416 where the file ends before it; `If-Range` takes the ETag, which is the hash. 409 `CONFLICT` while ' +
    'the file is not confirmed.',
  scope: 'files:read',
  role: 'admin',
  appRole: 'member',
  request: { params: fileParams },
  response: { 200: bytes, 206: bytes },
  errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_NOT_SATISFIABLE'],
  streamedReply: true,
  exempt: { conformance: 'Its reply is bytes: test/api/files/upload.test.ts.' },
  headers: { 'Cache-Control': 'private, no-store', 'X-Content-Type-Options': 'nosniff' },
  ownsItsTransaction: 'The bytes are streamed after it.',
  audited: 'none: it changes nothing',
  async handler({ params: { fileId }, caller, deps, incoming, transaction }) {
    const file = existing(await transaction((tx) => getFile(tx, fileId)), 'file');
    if (file.status === 'pending') {
      throw new ServiceError('CONFLICT', { message: 'The file is not confirmed yet, so nobody knows what it holds.' });
    }
    const etag = `"${file.sha256}"`;
    const ifRange = incoming.headers['if-range'];
    const isSame = ifRange === undefined || ifRange === etag;
    const range = byteRangeOf(isSame ? incoming.headers.range : undefined, file.size);
    if (range.kind === 'unsatisfiable') {
      throw new ServiceError('RANGE_NOT_SATISFIABLE', { details: { size: file.size } });
    }
    const stored = { environmentId: caller.tenant.environmentId, fileId };
    const stream = await deps.files.read(stored, ...(range.kind === 'part' ? [range] : []));
    if (stream === null) throw notFound('file'); // it was deleted meanwhile
    const headers = {
      'Content-Type': file.contentType,
      'Content-Disposition': attachmentDisposition(file.filename),
      'Accept-Ranges': 'bytes',
      ETag: etag,
    };
    if (range.kind === 'whole') {
      return { status: 200, data: null, stream, headers: { ...headers, 'Content-Length': String(file.size) } };
    }
    const { start, end } = range;
    const part = {
      'Content-Range': `bytes ${start}-${end}/${file.size}`,
      'Content-Length': String(end - start + 1),
    };
    return { status: 206, data: null, stream, headers: { ...headers, ...part } };
  },
});
