import { z } from 'zod';
import { everyPasskey, listPasskeys, removePasskey, renamePasskey } from '../../db/passkeys/passkeys.ts';
import { countUnusedCodes, makeRecoveryCodes } from '../../db/passkeys/recovery-codes.ts';
import { ServiceError } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireConfirmation } from '../http/second-factor.ts';
import {
  OF_ITS_PERSON,
  passkeyName,
  passkeyParams,
  passkeySchema,
  presentPasskey,
  recoveryCodesField,
} from './schemas.ts';

export const listPasskeysRoute = defineRoute({
  of: 'user',
  id: 'auth.passkeys.list',
  method: 'GET',
  path: '/api/v2/auth/passkeys',
  summary: "List one's own passkeys, newest first",
  response: { 200: z.array(passkeySchema) },
  list: async (tx, { page }) => presented(await listPasskeys(tx, page), presentPasskey),
});

export const renamePasskeyRoute = defineRoute({
  of: 'user',
  id: 'auth.passkeys.update',
  method: 'PATCH',
  path: '/api/v2/auth/passkeys/{id}',
  summary: 'Rename a passkey',
  exempt: { heldCredential: OF_ITS_PERSON },
  request: { params: passkeyParams, body: z.strictObject({ name: passkeyName }) },
  response: { 200: passkeySchema },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { id }, body: { name } }) {
    const passkey = await renamePasskey(tx, id, name);
    if (passkey === null) throw noPasskey();
    return {
      reply: { status: 200, data: presentPasskey(passkey) },
      audit: { action: 'passkey.renamed', target: { type: 'passkey', id }, details: { name } },
    };
  },
});

export const removePasskeyRoute = defineRoute({
  of: 'user',
  id: 'auth.passkeys.delete',
  method: 'DELETE',
  path: '/api/v2/auth/passkeys/{id}',
  summary: 'Remove a passkey',
  description:
    'It is accepted no longer. Without another one the password signs in alone again, and the recovery codes end. The person must have ' +
    'shown a passkey within five minutes, or finished the sign-in with a recovery code.',
  exempt: { heldCredential: OF_ITS_PERSON },
  request: { params: passkeyParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { id }, caller }) {
    requireConfirmation(caller.authentication);
    const name = await removePasskey(tx, id);
    if (name === null) throw noPasskey();
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'passkey.removed', target: { type: 'passkey', id }, details: { name } },
    };
  },
});

export const getRecoveryCodesRoute = defineRoute({
  of: 'user',
  id: 'auth.recovery-codes.get',
  method: 'GET',
  path: '/api/v2/auth/recovery-codes',
  summary: 'Count the recovery codes that are left',
  response: { 200: z.strictObject({ unused: z.int() }) },
  read: async (tx) => ({ unused: await countUnusedCodes(tx) }),
});

export const makeRecoveryCodesRoute = defineRoute({
  of: 'user',
  id: 'auth.recovery-codes.create',
  method: 'POST',
  path: '/api/v2/auth/recovery-codes',
  summary: 'Make new recovery codes',
  description:
    'The earlier ones end. The person must have a passkey, and have shown one within five minutes, or finished the sign-in with a ' +
    'recovery code.',
  exempt: { heldCredential: OF_ITS_PERSON },
  response: { 201: z.strictObject({ recoveryCodes: recoveryCodesField }) },
  headers: { 'Cache-Control': 'no-store' },
  errors: ['CONFLICT'],
  async change(tx, { caller }) {
    requireConfirmation(caller.authentication);
    if ((await everyPasskey(tx)).length === 0) {
      throw new ServiceError('CONFLICT', { message: 'Recovery codes stand in for a passkey, and you have none.' });
    }
    return {
      reply: { status: 201, data: { recoveryCodes: await makeRecoveryCodes(tx) } },
      audit: { action: 'recovery_codes.made', target: { type: 'user', id: caller.userId } },
    };
  },
});

function noPasskey(): ServiceError {
  return new ServiceError('NOT_FOUND', { message: 'You have no such passkey.' });
}
