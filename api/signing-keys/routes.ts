import { z } from 'zod';
import { raiseInWorkspace } from '../../db/events/publishing.ts';
import {
  listSigningKeys,
  RETIRING_KEYS_MAX,
  rotateSigningKey,
  type SigningKeyRecord,
} from '../../db/signing-keys/signing-keys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';

/** Rotation and its grace period: docs/messages.md, "What is sent". */
const GRACE_SECONDS_DEFAULT = 86_400;
const GRACE_SECONDS_MAX = 604_800;

const keyFields = {
  id: z.string(),
  prefix: z.string().describe('The first characters of the secret.'),
  createdAt: z.iso.datetime(),
  retiresAt: z.iso.datetime().nullable().describe('Until when it signs beside the newest one; null for that one.'),
};

const signingKeySchema = z.strictObject(keyFields).meta({ id: 'SigningKey' });
const rotatedKeySchema = z
  .strictObject({
    ...keyFields,
    secret: z.string().describe('`whsec_` and the base64 of 32 bytes. Shown here, once.'),
  })
  .meta({ id: 'RotatedSigningKey' });

function presentKey(key: SigningKeyRecord): z.input<typeof signingKeySchema> {
  const { id, prefix, createdAt, retiresAt } = key;
  return { id, prefix, createdAt: createdAt.toISOString(), retiresAt: retiresAt?.toISOString() ?? null };
}

const listRoute = defineRoute({
  of: 'environment',
  id: 'signingKeys.list',
  method: 'GET',
  path: '/api/v2/signing-keys',
  summary: 'List the keys that sign deliveries',
  description:
    'Lists the keys of the whole workspace, newest first: the one in use and those in their grace period. A workspace gets ' +
    'its first key when it publishes its first message. To get a secret that you can verify with, an admin rotates: ' +
    '`POST /api/v2/workspaces/{workspaceId}/signing-keys/rotate`.',
  scope: 'messages:read',
  role: 'member',
  exempt: { foreignLists: 'Signing keys are of the workspace, and the same in all of its environments.' },
  response: { 200: z.array(signingKeySchema) },
  list: async (tx, { page }) => presented(await listSigningKeys(tx, page), presentKey),
});

const rotateRoute = defineRoute({
  of: 'workspace',
  id: 'signingKeys.rotate',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/signing-keys/rotate',
  summary: 'Make a new signing key and show its secret once',
  description:
    'The keys sign the deliveries of every environment, so only a member with the role admin or owner rotates them, signed in; an API key and ' +
    'an app get 403. The earlier key signs beside the new one for the grace period, so that receivers have time to change. This reply shows ' +
    'the secret, and no later one does. It takes no Idempotency-Key, because the secret is kept nowhere but in the vault. Every rotation ' +
    'is a notification in each environment, and an e-mail to the admins.',
  role: 'admin',
  request: {
    params: z.strictObject({ workspaceId: z.uuid() }),
    body: z.strictObject({
      gracePeriodSeconds: z
        .int()
        .min(0)
        .max(GRACE_SECONDS_MAX)
        .default(GRACE_SECONDS_DEFAULT)
        .describe('How long the earlier key still signs. 0: from now on it does not.'),
    }),
  },
  response: { 201: rotatedKeySchema },
  errors: ['CONFLICT'],
  headers: { 'Cache-Control': 'no-store' },
  async change(tx, { body: { gracePeriodSeconds }, caller, deps }) {
    const made = await rotateSigningKey(tx, deps.vault, caller.workspaceId, gracePeriodSeconds);
    if (made === null) {
      throw new ServiceError('CONFLICT', {
        message: `${RETIRING_KEYS_MAX} earlier keys still sign. Wait until one retires, or rotate with gracePeriodSeconds 0.`,
      });
    }
    const { record, secret } = made;
    const until = new Date(record.createdAt.getTime() + gracePeriodSeconds * 1_000);
    await raiseInWorkspace(tx, 'signing_key.rotated', {
      signingKeyId: record.id,
      by: `The member ${caller.userId}`,
      until: gracePeriodSeconds === 0 ? 'now, and no longer' : until.toISOString(),
    });
    return {
      reply: { status: 201, data: { ...presentKey(record), secret } },
      audit: {
        action: 'signing_key.rotated',
        target: { type: 'signing_key', id: record.id },
        details: { gracePeriodSeconds },
      },
    };
  },
});

export const signingKeyRoutes: AnyRoute[] = [listRoute, rotateRoute];
