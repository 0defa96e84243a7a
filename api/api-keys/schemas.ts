import { z } from 'zod';
import type { ApiKeyRecord, ListedApiKey } from '../../db/api-keys/api-keys.ts';
import { KEY_PRESETS, SCOPES } from '../../domain/scopes.ts';
import { scopeSchema, storedInstant } from '../http/common-fields.ts';

export const API_KEY_NAME_CHARACTERS_MAX = 100;
export const API_KEY_ID_CHARACTERS_MAX = 100;

export const apiKeysParams = z.strictObject({ workspaceId: z.uuid() });
export const apiKeyParams = z.strictObject({
  workspaceId: z.uuid(),
  keyId: z.string().min(1).max(API_KEY_ID_CHARACTERS_MAX),
});

export const createApiKeyBody = z.strictObject({
  name: z.string().trim().min(1).max(API_KEY_NAME_CHARACTERS_MAX),
  environmentId: z.uuid().describe('The one environment that the key works in, for good.'),
  preset: z
    .enum(KEY_PRESETS)
    .optional()
    .describe(
      '`agent` is for the key that an agent holds: it invokes actions, and can neither define them nor decide. No preset grants an ' +
        'earlier namespace such as `messages:*`; name such scopes beside it.',
    ),
  scopes: z
    .array(scopeSchema)
    .min(1)
    .max(SCOPES.length)
    .optional()
    .describe(
      'Beside a preset they are added to what it grants. Without scopes and preset the key holds every scope that is not ' +
        'privileged, earlier namespaces included.',
    ),
  expiresAt: storedInstant
    .nullable()
    .optional()
    .describe('In the future. The key stops working then, and cannot be reactivated.'),
});

const apiKeyFields = {
  id: z.string(),
  name: z.string(),
  keyPrefix: z.string().describe('The first 18 characters.'),
  isActive: z.boolean().describe('Neither deleted nor expired.'),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
  createdBy: z
    .string()
    .nullable()
    .describe('The member who made it; both count as one person. Null: the operator, at the command line.'),
};

export const apiKeySchema = z.strictObject(apiKeyFields).meta({ id: 'ApiKey' });
export const createdApiKeySchema = z
  .strictObject({ ...apiKeyFields, key: z.string().describe('Shown this once: only its hash is kept.') })
  .meta({ id: 'CreatedApiKey' });

export function presentApiKey(key: ListedApiKey): z.input<typeof apiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    keyPrefix: key.keyPrefix,
    isActive: key.isActive,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    createdBy: key.createdBy,
  };
}

export function presentCreatedApiKey(record: ApiKeyRecord, key: string): z.input<typeof createdApiKeySchema> {
  return { ...presentApiKey({ ...record, isActive: true, lastUsedAt: null }), key };
}
