import { z } from 'zod';
import { raiseSession } from '../../db/auth/sessions.ts';
import { putChallenge, takeChallenge } from '../../db/passkeys/challenges.ts';
import { addPasskey, everyPasskey, type NewPasskey } from '../../db/passkeys/passkeys.ts';
import { countUnusedCodes, makeRecoveryCodes } from '../../db/passkeys/recovery-codes.ts';
import type { UserTransaction } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireConfirmation } from '../http/second-factor.ts';
import { NO_CHALLENGE, refused } from './attempts.ts';
import {
  credentialField,
  OF_ITS_PERSON,
  optionsSchema,
  passkeyName,
  passkeySchema,
  presentPasskey,
  recoveryCodesField,
} from './schemas.ts';
import { creationOptions, placeOf, verifyCreation } from './webauthn.ts';

const PASSKEYS_OF_A_PERSON_MAX = 20;

export const enrolOptionsRoute = defineRoute({
  of: 'user',
  id: 'auth.passkeys.options',
  method: 'POST',
  path: '/api/v2/auth/passkeys/options',
  summary: 'Begin to enrol a passkey',
  description:
    'Answers what `navigator.credentials.create()` is called with. The person must have shown a passkey within five minutes or, for the ' +
    'first one, given the password. 409 where passkeys cannot be had: at an IP address (open `localhost` on the machine itself), or without HTTPS.',
  response: { 200: optionsSchema },
  headers: { 'Cache-Control': 'no-store' },
  errors: ['CONFLICT'],
  ownsItsTransaction: 'The options are made between two transactions: the library makes the challenge.',
  audited: 'none: a challenge changes nothing by itself; its answer is recorded',
  async handler({ caller, deps, incoming, transaction }) {
    const place = placeOf(deps.pagesUrl, incoming.headers.origin);
    requireConfirmation(caller.authentication);
    const known = await transaction(everyPasskey);
    if (known.length >= PASSKEYS_OF_A_PERSON_MAX) {
      const message = `You have ${known.length} passkeys, as many as a person may have. Remove one first.`;
      throw new ServiceError('CONFLICT', { message });
    }
    const { publicKey, challenge } = await creationOptions(place, caller, known);
    await transaction((tx) => putChallenge(tx, { sessionId: caller.sessionId, purpose: 'enrol', challenge }));
    return { status: 200, data: { publicKey } };
  },
});

export const enrolPasskeyRoute = defineRoute({
  of: 'user',
  id: 'auth.passkeys.create',
  method: 'POST',
  path: '/api/v2/auth/passkeys',
  summary: 'Enrol a passkey',
  description:
    "The answer must be to the session's newest challenge, which counts once and for five minutes. From now on the person signs in with " +
    'a passkey, and their other sessions wait for one. The first passkey brings the recovery codes, which this reply alone shows.',
  exempt: { heldCredential: OF_ITS_PERSON },
  request: { body: z.strictObject({ name: passkeyName, credential: credentialField }) },
  response: { 201: z.strictObject({ passkey: passkeySchema, recoveryCodes: recoveryCodesField.nullable() }) },
  headers: { 'Cache-Control': 'no-store' },
  errors: ['CONFLICT'],
  ownsItsTransaction: 'The challenge is taken for good before the answer is looked at, and a refusal is recorded.',
  audited: 'recorded',
  async handler(context) {
    const { body, caller, deps, incoming, transaction, recordAudit } = context;
    const place = placeOf(deps.pagesUrl, incoming.headers.origin);
    const challenge = await transaction((tx) => takeChallenge(tx, caller.sessionId, 'enrol'));
    const verdict =
      challenge === null ? { refused: NO_CHALLENGE } : await verifyCreation(place, challenge, body.credential);
    if ('refused' in verdict) {
      const message = 'This passkey was not accepted. Begin again: each attempt takes a new challenge.';
      throw await refused(context, { action: 'passkey.refused', reason: verdict.refused, message });
    }
    const { passkey, recoveryCodes } = await transaction(async (tx) => {
      const enrolled = await enrol(tx, caller.sessionId, { ...verdict, name: body.name });
      const target = { type: 'passkey', id: enrolled.passkey.id };
      await recordAudit(tx, { action: 'passkey.enrolled', target, details: { name: body.name } });
      return enrolled;
    });
    return { status: 201, data: { passkey: presentPasskey(passkey), recoveryCodes } };
  },
});

/** The session that enrols has shown the passkey, and is not asked for it. */
async function enrol(tx: UserTransaction, sessionId: string, wanted: NewPasskey) {
  const passkey = await addPasskey(tx, wanted);
  if (passkey === null) throw new ServiceError('CONFLICT', { message: 'This passkey is enrolled already.' });
  await raiseSession(tx, sessionId, 'passkey');
  const recoveryCodes = (await countUnusedCodes(tx)) === 0 ? await makeRecoveryCodes(tx) : null;
  return { passkey, recoveryCodes };
}
