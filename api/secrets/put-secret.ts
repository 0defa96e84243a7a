import { recordAudit } from '../../db/audit/record-audit.ts';
import { putSecret } from '../../db/secrets/put-secret.ts';
import { defineRoute } from '../http/define-route.ts';
import { presentSecret, putSecretBody, secretParams, secretSchema } from './schemas.ts';

export const putSecretRoute = defineRoute({
  id: 'secrets.put',
  method: 'PUT',
  path: '/api/v2/secrets/{name}',
  summary: 'Create or rotate a secret',
  description:
    'Seals the value in the vault and answers 201 for a new secret, 200 for a rotation; the version counts up. Dispatches from ' +
    'then on use the new value. Takes no Idempotency-Key: nothing of a value is kept outside the vault, not even a digest.',
  scope: 'secrets:write',
  request: { params: secretParams, body: putSecretBody },
  response: { 200: secretSchema, 201: secretSchema },
  errors: [],
  exempt: {
    tenancy: 'A name belongs to an environment: putting it elsewhere makes a secret of that environment.',
  },
  async handler({ params, body, caller, actor, requestId, deps }) {
    const { secret, created } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const put = await putSecret(tx, deps.vault, {
        tenant: caller.tenant,
        name: params.name,
        value: body.value,
        ...(body.description === undefined ? {} : { description: body.description }),
      });
      await recordAudit(tx, {
        workspaceId: caller.tenant.workspaceId,
        actor,
        action: put.created ? 'secret.created' : 'secret.rotated',
        target: { type: 'secret', id: put.secret.id },
        details: { name: params.name, version: put.secret.version },
        requestId,
      });
      return put;
    });
    return { status: created ? 201 : 200, data: presentSecret(secret) };
  },
});
