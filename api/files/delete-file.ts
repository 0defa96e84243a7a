import { z } from 'zod';
import { deleteFile, findHolder, forgetFile } from '../../db/files/files.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { auditOf, fileParams } from './schemas.ts';

export const deleteFileRoute = defineRoute({
  of: 'environment',
  id: 'files.delete',
  method: 'DELETE',
  path: '/api/v2/files/{fileId}',
  summary: 'Delete a file',
  description:
    'It is gone at once, and its storage is free; that of a presigned file in S3 within two hours of its presigning, when nothing can ' +
    'be sent to its URL any more. 409 while an invocation that carries it has not ended: cancel that one first.',
  scope: 'files:write',
  role: 'admin',
  appRole: 'member',
  request: { params: fileParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async change(tx, { params: { fileId }, caller: { tenant } }) {
    const invocationId = await findHolder(tx, fileId);
    if (invocationId !== null) {
      throw new ServiceError('CONFLICT', {
        message: `Invocation ${invocationId} carries this file and has not ended. Wait for it, or cancel it, and delete the file then.`,
        details: { invocationId },
      });
    }
    const deleted = existing(await deleteFile(tx, fileId), 'file');
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'file.deleted', target: { type: 'file', id: fileId }, details: auditOf(deleted) },
      after: async (deps) => {
        await deps.files.remove({ environmentId: tenant.environmentId, fileId });
        await deps.db.withEnvironment(tenant, (again) => forgetFile(again, fileId));
      },
    };
  },
});
