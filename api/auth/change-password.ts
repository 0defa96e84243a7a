import { z } from 'zod';
import { raiseSession, startSession } from '../../db/auth/sessions.ts';
import { changePassword, holdPassword, listWorkspacesOfUser } from '../../db/users/users.ts';
import type { SessionAuthentication } from '../../domain/passkeys/authentication.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { sessionCookie } from '../http/sessions.ts';
import { checkPassword, hashNewPassword } from './check-password.ts';
import { byPassword, newPassword, presentedPassword, presentSession, sessionSchema } from './schemas.ts';

export const changePasswordRoute = defineRoute({
  of: 'user',
  id: 'auth.password.change',
  method: 'POST',
  path: '/api/v2/auth/password',
  summary: 'Change the password',
  description:
    'Ends all sessions of the user and starts a new one, whose cookie the reply sets. A wrong current password counts as a ' +
    'failed sign-in.',
  request: { body: z.strictObject({ currentPassword: presentedPassword, newPassword }) },
  response: { 200: sessionSchema },
  ownsItsTransaction: 'The throttle counts an attempt in a transaction of its own, before the password is looked at.',
  audited: 'recorded',
  async handler({ body, caller, browser, requestId, deps, transaction, recordAudit }) {
    const attempt = { email: caller.email, password: body.currentPassword, address: browser.address, requestId };
    const user = await checkPassword(deps, attempt);
    if (user === null) throw wrong();
    const passwordHash = await hashNewPassword(body.newPassword);
    const { session, workspaces } = await transaction(async (tx) => {
      if (!(await holdPassword(tx, user))) throw wrong();
      await changePassword(tx, user.id, passwordHash);
      const started = await startSession(tx);
      const { method, at } = caller.authentication;
      if (method !== 'password') await raiseSession(tx, started.id, method, at);
      const found = await listWorkspacesOfUser(tx, user.id);
      await recordAudit(tx, { action: 'user.password_changed', target: { type: 'user', id: user.id } });
      return { session: started, workspaces: found };
    });
    return {
      status: 200,
      data: presentSession({
        ...session,
        authentication: authenticationNow(caller.authentication, session),
        user,
        workspaces,
      }),
      headers: { 'Set-Cookie': sessionCookie(session, browser.secureCookie) },
    };
  },
});

/** The new session is as well authenticated as the one that it replaces. */
function authenticationNow(before: SessionAuthentication, { startedAt }: { startedAt: Date }): SessionAuthentication {
  return before.method === 'password'
    ? byPassword({ startedAt }, before.hasPasskey)
    : { ...before, passwordAt: startedAt };
}

function wrong(): ServiceError {
  return new ServiceError('AUTHORIZATION_ERROR', { message: 'The present password is wrong.' });
}
