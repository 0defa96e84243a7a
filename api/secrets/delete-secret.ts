import { z } from 'zod';
import { deleteSecret } from '../../db/secrets/delete-secret.ts';
import { validationError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { queryBoolean } from '../http/pagination.ts';
import { secretParams } from './schemas.ts';
import { missingSecret } from '../http/missing.ts';

const CONFIRMATION =
  'In a protected environment send `confirmProtected: true`, as a query parameter or in a JSON body.';

export const deleteSecretRoute = defineRoute({
  id: 'secrets.delete',
  method: 'DELETE',
  path: '/api/v2/secrets/{name}',
  summary: 'Destroy a secret and all its sealed versions',
  description:
    `Invocations of actions that refer to it are refused with \`secret_missing\` until it is created again. ${CONFIRMATION} ` +
    'Otherwise the answer is 400, and the secret stays.',
  scope: 'secrets:write',
  request: {
    params: secretParams,
    query: z.strictObject({ confirmProtected: queryBoolean.optional().describe(CONFIRMATION) }),
    body: z.strictObject({ confirmProtected: z.boolean().optional().describe(CONFIRMATION) }).optional(),
  },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { name }, query, body, caller: { environment } }) {
    const id = await deleteSecret(tx, name);
    if (id === null) throw await missingSecret(tx, name);
    // After the look-up, so that a secret that is not there answers 404 here as elsewhere; throwing takes the delete back.
    const confirmed = query.confirmProtected === true || body?.confirmProtected === true;
    if (environment.protected && !confirmed) throw confirmationMissing(environment.name);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'secret.deleted', target: { type: 'secret', id }, details: { name } },
    };
  },
});

function confirmationMissing(environment: string): Error {
  const message = `The environment "${environment}" is protected. To delete this secret for good, send confirmProtected=true as a query parameter, or {"confirmProtected": true} as the JSON body.`;
  return validationError(
    [{ path: 'query.confirmProtected', message: 'must be true in a protected environment' }],
    message,
  );
}
