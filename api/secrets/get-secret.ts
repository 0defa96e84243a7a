import { getSecret } from '../../db/secrets/secrets.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentSecret, secretParams, secretSchema } from './schemas.ts';
import { missingSecret } from '../http/failures.ts';

export const getSecretRoute = defineRoute({
  of: 'environment',
  id: 'secrets.get',
  method: 'GET',
  path: '/api/v2/secrets/{name}',
  summary: 'Get a secret, without its value',
  scope: 'secrets:read',
  role: 'admin',
  request: { params: secretParams },
  response: { 200: secretSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const secret = await getSecret(tx, params.name);
    if (secret === null) throw await missingSecret(tx, params.name);
    return presentSecret(secret);
  },
});
