import { z } from 'zod';
import { getFile } from '../../db/files/get-file.ts';
import { listFiles } from '../../db/files/list-files.ts';
import { notFound } from '../../domain/errors.ts';
import { PURPOSE_CHARACTERS_MAX } from '../../domain/files/files.ts';
import { defineRoute } from '../http/define-route.ts';
import { fileParams, fileSchema, presentFile } from './schemas.ts';

export const listFilesRoute = defineRoute({
  id: 'files.list',
  method: 'GET',
  path: '/api/v2/files',
  summary: 'List files, newest first',
  scope: 'files:read',
  request: {
    query: z.strictObject({
      status: z.enum(['pending', 'ready']).optional(),
      purpose: z.string().min(1).max(PURPOSE_CHARACTERS_MAX).optional(),
    }),
  },
  response: { 200: z.array(fileSchema) },
  errors: [],
  async list(tx, { query: { status = null, purpose = null }, page }) {
    const { items, total } = await listFiles(tx, { status, purpose, ...page });
    return { items: items.map(presentFile), total };
  },
});

export const getFileRoute = defineRoute({
  id: 'files.get',
  method: 'GET',
  path: '/api/v2/files/{fileId}',
  summary: 'Read what is known of a file',
  scope: 'files:read',
  request: { params: fileParams },
  response: { 200: fileSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params: { fileId } }) {
    const file = await getFile(tx, fileId);
    if (file === null) throw notFound('file');
    return presentFile(file);
  },
});
