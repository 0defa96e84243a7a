import { z } from 'zod';
import { KEY_PRESETS } from '../../domain/scopes.ts';
import { type Caller, defineRoute, type UserCaller } from '../http/define-route.ts';
import { scopeSchema } from '../http/common-fields.ts';

export const identitySchema = z
  .strictObject({
    type: z.enum(['api_key', 'session', 'oauth']),
    keyId: z.string().nullable().meta({ description: 'For API keys only; null otherwise.' }),
    workspaceId: z.uuid().nullable().meta({ description: 'Null for a session that names no environment.' }),
    environment: z
      .strictObject({
        id: z.uuid(),
        name: z.string(),
        kind: z.enum(['development', 'staging', 'production']),
      })
      .nullable(),
    scopes: z.array(scopeSchema).meta({ description: 'What this credential may do, sorted.' }),
    preset: z.enum(KEY_PRESETS).nullable(),
    expiresAt: z.iso.datetime().nullable(),
    userId: z.string().optional().meta({ description: 'For sessions and OAuth only.' }),
  })
  .meta({ id: 'Identity' });

export const getIdentity = defineRoute({
  of: 'environment',
  scope: null,
  environmentOptional: true,
  id: 'auth.identity',
  method: 'GET',
  path: '/api/v2/auth/identity',
  summary: "Get the caller's own credential",
  description:
    'Use it as a check at start-up. The reply names the credential, its workspace and environment, its effective scopes and ' +
    'its expiry. It needs no scope, is never cached, and holds no secret. A session has a workspace and an environment only ' +
    'if it sends `X-Environment-Id`.',
  response: { 200: identitySchema },
  headers: { 'Cache-Control': 'no-store' },
  ownsItsTransaction: 'It answers what the look-up of the credential found, and reads nothing.',
  audited: 'none: it changes nothing',
  handler: ({ caller }) => Promise.resolve({ status: 200, data: presentIdentity(caller) }),
});

function presentIdentity(caller: Caller | UserCaller): z.input<typeof identitySchema> {
  const common = {
    type: caller.type,
    keyId: caller.type === 'api_key' ? caller.keyId : null,
    workspaceId: 'tenant' in caller ? caller.workspaceId : null,
    environment: 'tenant' in caller ? presentEnvironment(caller) : null,
    scopes: 'scopes' in caller ? [...caller.scopes].sort() : [],
    preset: caller.type === 'api_key' ? presetOf(caller.preset) : null,
    expiresAt: caller.expiresAt?.toISOString() ?? null,
  };
  return caller.type === 'api_key' ? common : { ...common, userId: caller.userId };
}

function presentEnvironment({ environment: { id, name, kind } }: Caller): {
  id: string;
  name: string;
  kind: typeof kind;
} {
  return { id, name, kind };
}

function presetOf(preset: string | null): z.output<typeof identitySchema>['preset'] {
  return identitySchema.shape.preset.parse(preset);
}
