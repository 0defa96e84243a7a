import { z } from 'zod';
import { getFile, listFiles } from '../../db/files/files.ts';
import { existing } from '../../domain/errors.ts';
import { PURPOSE_CHARACTERS_MAX } from '../../domain/files/files.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { fileParams, fileSchema, presentFile } from './schemas.ts';

export const listFilesRoute = defineRoute({
  of: 'environment',
  id: 'files.list',
  method: 'GET',
  path: '/api/v2/files',
  summary: 'List files, newest first',
  scope: 'files:read',
  role: 'member',
  request: {
    query: z.strictObject({
      status: z.enum(['pending', 'ready']).optional(),
      purpose: z.string().min(1).max(PURPOSE_CHARACTERS_MAX).optional(),
    }),
  },
  response: { 200: z.array(fileSchema) },
  list: async (tx, { query: { status = null, purpose = null }, page }) =>
    presented(await listFiles(tx, { status, purpose, ...page }), presentFile),
});

export const getFileRoute = defineRoute({
  of: 'environment',
  id: 'files.get',
  method: 'GET',
  path: '/api/v2/files/{fileId}',
  summary: 'Read what is known of a file',
  scope: 'files:read',
  role: 'member',
  request: { params: fileParams },
  response: { 200: fileSchema },
  errors: ['NOT_FOUND'],
  read: async (tx, { params: { fileId } }) => presentFile(existing(await getFile(tx, fileId), 'file')),
});
