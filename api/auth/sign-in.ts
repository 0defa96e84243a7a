import { recordAccountAudit } from '../../db/audit/record-audit.ts';
import { endSession, hashToken, startSession } from '../../db/auth/sessions.ts';
import { findSignInSession } from '../../db/auth/directory.ts';
import type { Database } from '../../db/client.ts';
import { everyPasskey } from '../../db/passkeys/passkeys.ts';
import { holdPassword, listWorkspacesOfUser } from '../../db/users/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import { z } from 'zod';
import { type Browser, defineRoute } from '../http/define-route.ts';
import { sessionCookie } from '../http/sessions.ts';
import { checkPassword } from './check-password.ts';
import { byPassword, emailField, presentedPassword, presentSession, sessionSchema } from './schemas.ts';

export const signInRoute = defineRoute({
  of: 'public',
  id: 'auth.session.create',
  method: 'POST',
  path: '/api/v2/auth/session',
  summary: 'Sign in',
  description:
    'Answers who signed in and sets the session cookie: HttpOnly, SameSite=Lax, and `__Host-` with Secure outside of ' +
    'loopback. An unknown e-mail address and a wrong password get the same answer in the same time. After several failures ' +
    'the next attempts have to wait, longer each time: the 429 says for how many seconds.\n\n' +
    'If the user has a passkey, the session is not finished (`awaitsSecondFactor`): confirm with the passkey ' +
    '(POST /api/v2/auth/session/passkey) or with a recovery code. Until then everything else answers 403 SECOND_FACTOR_REQUIRED.',
  request: { body: z.strictObject({ email: emailField, password: presentedPassword }) },
  response: { 200: sessionSchema },
  errors: ['AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR'],
  ownsItsTransaction: 'Nobody is known before the password was looked at, and the throttle counts before that.',
  audited: 'recorded',
  async handler({ body, browser, requestId, deps }) {
    const user = await checkPassword(deps, { ...body, address: browser.address, requestId });
    if (user === null) throw wrong();
    const { session, workspaces, hasPasskey } = await deps.db.withUser(user.id, async (tx) => {
      if (!(await holdPassword(tx, user))) throw wrong();
      const started = await startSession(tx);
      const found = await listWorkspacesOfUser(tx, user.id);
      const awaitsSecondFactor = (await everyPasskey(tx)).length > 0;
      await recordAccountAudit(tx, user.id, {
        actor: { type: 'user', id: user.id },
        authentication: { method: 'password', at: started.startedAt.toISOString() },
        action: 'session.started',
        target: { type: 'session', id: started.id },
        details: { address: browser.address, ...(awaitsSecondFactor ? { awaitsSecondFactor } : {}) },
        requestId,
      });
      return { session: started, workspaces: found, hasPasskey: awaitsSecondFactor };
    });
    await endEarlierSession(deps.db, browser, { userId: user.id, requestId });
    return {
      status: 200,
      data: presentSession({ ...session, authentication: byPassword(session, hasPasskey), user, workspaces }),
      headers: { 'Set-Cookie': sessionCookie(session, browser.secureCookie) },
    };
  },
});

function wrong(): ServiceError {
  return new ServiceError('AUTHENTICATION_ERROR', {
    message: 'Authentication failed: the e-mail address or the password is wrong.',
  });
}

/** A new sign-in ends the browser's earlier session, so that a planted token is worthless afterwards. */
export async function endEarlierSession(
  db: Database,
  { sessionToken, address }: Browser,
  { userId, requestId }: { userId: string; requestId: string },
): Promise<void> {
  if (sessionToken === null) return;
  const earlier = await findSignInSession(db, hashToken(sessionToken));
  if (earlier === null) return;
  await db.withUser(earlier.userId, async (tx) => {
    if (!(await endSession(tx, earlier.id))) return;
    await recordAccountAudit(tx, earlier.userId, {
      // The earlier user's workspaces must not learn who signs in.
      actor: { type: 'user', id: earlier.userId === userId ? userId : null },
      action: 'session.ended',
      target: { type: 'session', id: earlier.id },
      details: { replaced: true, address },
      requestId,
    });
  });
}
