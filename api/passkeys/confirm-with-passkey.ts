import { z } from 'zod';
import { raiseSession } from '../../db/auth/sessions.ts';
import { putChallenge, takeChallenge } from '../../db/passkeys/challenges.ts';
import { everyPasskey, findPasskey, noteUse, type PasskeyRecord } from '../../db/passkeys/passkeys.ts';
import { ServiceError } from '../../domain/errors.ts';
import { sessionSchema } from '../auth/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  admitSecondFactor,
  confirmed,
  type Handling,
  NO_CHALLENGE,
  refused,
  sessionNow,
  settleSecondFactor,
} from './attempts.ts';
import { credentialField, OF_ITS_PERSON, optionsSchema, type PresentedCredential } from './schemas.ts';
import { placeOf, requestOptions, verifyUse } from './webauthn.ts';

const WORKS = 'Finishes a sign-in (`awaitsSecondFactor`), or confirms a finished one once more.';

export const passkeyChallengeRoute = defineRoute({
  of: 'user',
  id: 'auth.session.passkey.options',
  method: 'POST',
  path: '/api/v2/auth/session/passkey/options',
  summary: 'Begin to confirm with a passkey',
  description: `Answers what \`navigator.credentials.get()\` is called with. ${WORKS} An earlier challenge of the session ends.`,
  exempt: { heldCredential: OF_ITS_PERSON },
  finishesSignIn: true,
  response: { 200: optionsSchema },
  headers: { 'Cache-Control': 'no-store' },
  errors: ['CONFLICT'],
  ownsItsTransaction: 'The options are made between two transactions: the library makes the challenge.',
  audited: 'none: a challenge changes nothing by itself; its answer is recorded',
  async handler({ caller, deps, incoming, transaction }) {
    const place = placeOf(deps.pagesUrl, incoming.headers.origin);
    const known = await transaction(everyPasskey);
    if (known.length === 0) throw new ServiceError('CONFLICT', { message: 'You have no passkey. Enrol one first.' });
    const { publicKey, challenge } = await requestOptions(place, known);
    await transaction((tx) => putChallenge(tx, { sessionId: caller.sessionId, purpose: 'authenticate', challenge }));
    return { status: 200, data: { publicKey } };
  },
});

export const confirmWithPasskeyRoute = defineRoute({
  of: 'user',
  id: 'auth.session.passkey',
  method: 'POST',
  path: '/api/v2/auth/session/passkey',
  summary: 'Confirm with a passkey',
  description:
    `${WORKS} The answer must be to the session's newest challenge, which counts once and for five minutes, signed by a passkey of the ` +
    'same person, who was verified (`userVerification: required`). Attempts are throttled as sign-ins are.',
  exempt: { heldCredential: OF_ITS_PERSON },
  finishesSignIn: true,
  request: { body: z.strictObject({ credential: credentialField }) },
  response: { 200: sessionSchema },
  errors: ['CONFLICT'],
  ownsItsTransaction: 'The challenge is taken for good before the answer is looked at, and a refusal is recorded.',
  audited: 'recorded',
  async handler(context) {
    const { body, caller, deps, incoming, transaction, recordAudit } = context;
    const place = placeOf(deps.pagesUrl, incoming.headers.origin);
    await admitSecondFactor(context);
    const asked = await transaction(async (tx) => ({
      challenge: await takeChallenge(tx, caller.sessionId, 'authenticate'),
      passkey: await findPasskey(tx, Buffer.from(body.credential.id, 'base64url')),
    }));
    const proof = await judge(place, asked, body.credential);
    if ('refused' in proof) throw await wrongPasskey(context, proof.refused);
    const { passkeyId, signCount } = proof;
    const data = await transaction(async (tx) => {
      if (!(await noteUse(tx, { id: passkeyId, signCount }))) return null;
      await raiseSession(tx, caller.sessionId, 'passkey');
      const session = await sessionNow(tx, caller, { method: 'passkey', at: new Date() });
      await recordAudit(tx, confirmed(context, 'passkey', passkeyId));
      return session;
    });
    if (data === null) throw await wrongPasskey(context, 'its counter did not rise, or it was removed meanwhile');
    await settleSecondFactor(context);
    return { status: 200, data };
  },
});

async function judge(
  place: Parameters<typeof verifyUse>[0],
  { challenge, passkey }: { challenge: string | null; passkey: PasskeyRecord | null },
  presented: PresentedCredential,
): Promise<{ refused: string } | { passkeyId: string; signCount: number }> {
  if (challenge === null) return { refused: NO_CHALLENGE };
  if (passkey === null) return { refused: 'the person has no such passkey' };
  const verdict = await verifyUse(place, challenge, presented, passkey);
  return 'refused' in verdict ? verdict : { passkeyId: passkey.id, signCount: verdict.signCount };
}

function wrongPasskey(context: Handling, reason: string): Promise<ServiceError> {
  const message =
    'This passkey was not accepted. Try again: each attempt takes a new challenge. If it fails again, use another passkey or a recovery code.';
  return refused(context, { action: 'passkey.refused', reason, message });
}
