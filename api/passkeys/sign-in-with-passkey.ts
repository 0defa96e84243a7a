import { z } from 'zod';
import { recordAccountAudit } from '../../db/audit/record-audit.ts';
import { startSession } from '../../db/auth/sessions.ts';
import { settleSignIn } from '../../db/auth/throttle.ts';
import type { UserTransaction } from '../../db/client.ts';
import { CHALLENGE_SECONDS } from '../../db/passkeys/challenges.ts';
import { findPasskey, findPasskeyOwner, noteUse } from '../../db/passkeys/passkeys.ts';
import { listWorkspacesOfUser, readUser } from '../../db/users/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import { admitAttempt } from '../auth/check-password.ts';
import { recordRefusedPasskey } from '../auth/audit.ts';
import { presentSession, sessionSchema } from '../auth/schemas.ts';
import { endEarlierSession } from '../auth/sign-in.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type Browser, defineRoute } from '../http/define-route.ts';
import { sessionCookie } from '../http/sessions.ts';
import { NO_CHALLENGE } from './attempts.ts';
import { type BrowserChallenge, challengeCookie, readChallenge } from './browser-challenge.ts';
import { credentialField, optionsSchema, type PresentedCredential } from './schemas.ts';
import { placeOf, requestOptions, verifyUse } from './webauthn.ts';

export const passkeySignInOptionsRoute = defineRoute({
  of: 'public',
  id: 'auth.passkeySignIn.options',
  method: 'POST',
  path: '/api/v2/auth/passkey-sign-in/options',
  summary: 'Begin to sign in with a passkey alone',
  description:
    'Answers what `navigator.credentials.get()` is called with: the browser offers the passkeys that it keeps for this service. The ' +
    `challenge stands in a cookie too (HttpOnly, SameSite=Strict, ${CHALLENGE_SECONDS / 60} minutes), so that it is answered by this browser. The answer is the same for everybody.`,
  response: { 200: optionsSchema },
  headers: { 'Cache-Control': 'no-store' },
  errors: ['AUTHORIZATION_ERROR', 'CONFLICT'],
  ownsItsTransaction: 'It stores nothing: the browser keeps the challenge.',
  audited: 'none: a challenge changes nothing by itself; its answer is recorded',
  async handler({ browser, deps, incoming }) {
    const { publicKey, challenge } = await requestOptions(placeOf(deps.pagesUrl, incoming.headers.origin), []);
    const cookie = challengeCookie(deps.links, { challenge, at: new Date() }, browser);
    return { status: 200, data: { publicKey }, headers: { 'Set-Cookie': cookie } };
  },
});

export const signInWithPasskeyRoute = defineRoute({
  of: 'public',
  id: 'auth.passkeySignIn.create',
  method: 'POST',
  path: '/api/v2/auth/passkey-sign-in',
  summary: 'Sign in with a passkey alone',
  description:
    'The passkey stands for the e-mail address and the password, because its person was verified (`userVerification: required`) and names ' +
    'them by its user handle. Sets the session cookie as a sign-in with the password does; the session is finished. The answer must be to ' +
    "this browser's challenge, which a passkey answers once. Every refusal has the same words, and attempts are throttled as sign-ins are.",
  request: { body: z.strictObject({ credential: credentialField }) },
  response: { 200: sessionSchema },
  errors: ['AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', 'CONFLICT'],
  ownsItsTransaction: 'Nobody is known before the passkey was looked at, and the throttle counts before that.',
  audited: 'recorded',
  async handler({ body: { credential }, browser, requestId, deps, incoming }) {
    const place = placeOf(deps.pagesUrl, incoming.headers.origin);
    const attempt = { email: `passkey ${credential.id}`, address: browser.address };
    await admitAttempt(deps.db, attempt);
    const asked = readChallenge(deps.links, incoming, browser);
    const userId = await findPasskeyOwner(deps.db, Buffer.from(credential.id, 'base64url'));
    const proof = await judge(deps, { place, asked, userId, credential });
    if ('refused' in proof) throw wrong(deps, userId, { reason: proof.refused, browser, requestId });
    const started = await deps.db.withUser(proof.userId, (tx) => begin(tx, proof, { browser, requestId }));
    if (started === null) {
      const reason = 'its counter did not rise, it answered this challenge or a newer one before, or it was removed';
      throw wrong(deps, userId, { reason, browser, requestId });
    }
    await endEarlierSession(deps.db, browser, { userId: proof.userId, requestId });
    await settleSignIn(deps.db, attempt);
    const { session, user, workspaces } = started;
    const authentication = { method: 'passkey' as const, at: session.startedAt, passwordAt: null, hasPasskey: true };
    return {
      status: 200,
      data: presentSession({ ...session, authentication, user, workspaces }),
      headers: { 'Set-Cookie': sessionCookie(session, browser.secureCookie) },
    };
  },
});

interface Proof {
  userId: string;
  passkeyId: string;
  signCount: number;
  challengedAt: Date;
}

interface Presented {
  place: ReturnType<typeof placeOf>;
  asked: BrowserChallenge | null;
  userId: string | null;
  credential: PresentedCredential;
}

async function judge(
  { db }: Pick<ApiDependencies, 'db'>,
  { place, asked, userId, credential }: Presented,
): Promise<{ refused: string } | Proof> {
  if (asked === null) return { refused: NO_CHALLENGE };
  if (userId === null) return { refused: 'nobody has such a passkey' };
  const passkey = await db.withUser(userId, (tx) => findPasskey(tx, Buffer.from(credential.id, 'base64url')));
  if (passkey === null) return { refused: 'the passkey was removed' };
  // WebAuthn, section 7.2, step 6: a person who was not named before is named by the passkey, and must own it.
  const { userHandle } = credential.response as { userHandle?: unknown };
  if (userHandle !== Buffer.from(userId).toString('base64url'))
    return { refused: 'its user handle names another person' };
  const verdict = await verifyUse(place, asked.challenge, credential, passkey);
  return 'refused' in verdict
    ? verdict
    : { userId, passkeyId: passkey.id, signCount: verdict.signCount, challengedAt: asked.at };
}

/** Returns null where the passkey has answered this challenge, its counter did not rise, or it was removed meanwhile. */
async function begin(
  tx: UserTransaction,
  { userId, passkeyId, signCount, challengedAt }: Proof,
  { browser, requestId }: { browser: Browser; requestId: string },
) {
  if (!(await noteUse(tx, { id: passkeyId, signCount, challengedAt }))) return null;
  const session = await startSession(tx, 'passkey');
  const user = await readUser(tx);
  const workspaces = await listWorkspacesOfUser(tx, userId);
  await recordAccountAudit(tx, userId, {
    actor: { type: 'user', id: userId },
    authentication: { method: 'passkey', at: session.startedAt.toISOString() },
    action: 'session.started',
    target: { type: 'session', id: session.id },
    details: { address: browser.address, passkeyId },
    requestId,
  });
  return { session, user, workspaces };
}

/** One answer for everything, so that nobody learns whose passkey exists. Its owner reads the reason in the audit log. */
function wrong(
  deps: Pick<ApiDependencies, 'db' | 'logger'>,
  userId: string | null,
  { reason, browser, requestId }: { reason: string; browser: Browser; requestId: string },
): ServiceError {
  if (userId !== null) recordRefusedPasskey(deps, userId, { reason, address: browser.address, requestId });
  const message =
    'This passkey was not accepted. Try again: each attempt takes a new challenge. If it fails again, sign in with your e-mail address and password.';
  return new ServiceError('AUTHENTICATION_ERROR', { message, log: reason });
}
