import { putSecret } from '../../db/secrets/secrets.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentSecret, putSecretBody, secretParams, secretSchema } from './schemas.ts';

export const putSecretRoute = defineRoute({
  of: 'environment',
  id: 'secrets.put',
  method: 'PUT',
  path: '/api/v2/secrets/{name}',
  summary: 'Create or rotate a secret',
  description:
    'Seals the value in the vault: 201 for a new secret, 200 for a rotation, which adds one to `version`. Every dispatch ' +
    'from then on uses the new value. It takes no Idempotency-Key, because nothing of a value is kept outside of the vault, ' +
    'not even a digest.',
  scope: 'secrets:write',
  role: 'admin',
  request: { params: secretParams, body: putSecretBody },
  response: { 200: secretSchema, 201: secretSchema },
  exempt: {
    tenancy: 'A name belongs to an environment: putting it elsewhere makes a secret of that environment.',
  },
  async change(tx, { params: { name }, body: { value, description }, caller: { tenant }, deps }) {
    const wanted = { tenant, name, value, ...(description === undefined ? {} : { description }) };
    const { secret, created } = await putSecret(tx, deps.vault, wanted);
    return {
      reply: { status: created ? 201 : 200, data: presentSecret(secret) },
      audit: {
        action: created ? 'secret.created' : 'secret.rotated',
        target: { type: 'secret', id: secret.id },
        details: { name, version: secret.version },
      },
    };
  },
});
