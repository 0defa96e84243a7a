import { z } from 'zod';
import { deleteSecret } from '../../db/secrets/secrets.ts';
import { confirmProtected, isConfirmed, refuseUnconfirmed } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { missingSecret } from '../http/failures.ts';
import { secretParams } from './schemas.ts';

export const deleteSecretRoute = defineRoute({
  of: 'environment',
  id: 'secrets.delete',
  method: 'DELETE',
  path: '/api/v2/secrets/{name}',
  summary: 'Destroy a secret and all its sealed versions',
  description:
    `Invocations of actions that refer to it are refused with \`secret_missing\` until it is created again. ${confirmProtected.description} ` +
    'Otherwise the answer is 400, and the secret stays.',
  scope: 'secrets:write',
  role: 'admin',
  request: { params: secretParams, query: confirmProtected.query, body: confirmProtected.body },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { name }, query, body, caller: { environment } }) {
    const id = await deleteSecret(tx, name);
    if (id === null) throw await missingSecret(tx, name);
    // After the look-up, so that a secret that is not there answers 404 here as elsewhere; throwing takes the delete back.
    if (environment.protected && !isConfirmed(query, body)) throw refuseUnconfirmed('secret', environment.name);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'secret.deleted', target: { type: 'secret', id }, details: { name } },
    };
  },
});
