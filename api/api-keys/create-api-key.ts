import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { getEnvironment } from '../../db/environments/environments.ts';
import { existing, validationError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePasskeyIn } from '../http/second-factor.ts';
import { apiKeysParams, createApiKeyBody, createdApiKeySchema, presentCreatedApiKey } from './schemas.ts';

export const createApiKeyRoute = defineRoute({
  of: 'workspace',
  id: 'apiKeys.create',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/api-keys',
  summary: 'Create an API key',
  description:
    'This reply shows the key, and no later one does. Its environment and scopes cannot be changed: to change them, create ' +
    'another key and delete this one. In a protected environment, who has a passkey confirms with it.',
  role: 'admin',
  request: { params: apiKeysParams, body: createApiKeyBody },
  response: { 201: createdApiKeySchema },
  headers: { 'Cache-Control': 'no-store' },
  inEnvironment: ({ body }) => body.environmentId.toLowerCase(),
  async change(tx, { body, caller }) {
    const { name, preset, scopes } = body;
    const expiresAt = futureMoment(body.expiresAt ?? null);
    const environment = existing(await getEnvironment(tx, body.environmentId), 'environment');
    requirePasskeyIn(environment, caller.authentication);
    const { record, key } = await createApiKey(tx, {
      name,
      expiresAt,
      createdBy: caller.userId,
      preset: preset ?? null,
      ...(scopes === undefined ? {} : { scopes }),
    });
    return {
      reply: { status: 201, data: presentCreatedApiKey(record, key) },
      audit: {
        action: 'api_key.created',
        target: { type: 'api_key', id: record.id },
        details: { name, preset: record.preset, scopes: record.scopes },
      },
    };
  },
});

function futureMoment(text: string | null): Date | null {
  if (text === null) return null;
  const moment = new Date(text);
  if (moment.getTime() > Date.now()) return moment;
  throw validationError([{ path: 'body.expiresAt', message: 'must be in the future' }]);
}
