import { z } from 'zod';
import { endSession } from '../../db/auth/sessions.ts';
import { listWorkspacesOfUser } from '../../db/users/users.ts';
import { defineRoute } from '../http/define-route.ts';
import { sessionCookie } from '../http/sessions.ts';
import { presentSession, sessionSchema } from './schemas.ts';

export const getSessionRoute = defineRoute({
  of: 'user',
  id: 'auth.session.get',
  method: 'GET',
  path: '/api/v2/auth/session',
  summary: 'Get who is signed in',
  response: { 200: sessionSchema },
  async read(tx, { caller }) {
    const workspaces = await listWorkspacesOfUser(tx, caller.userId);
    const user = { id: caller.userId, email: caller.email, name: caller.name };
    return presentSession({ ...caller, user, workspaces });
  },
});

export const signOutRoute = defineRoute({
  of: 'user',
  id: 'auth.session.delete',
  method: 'DELETE',
  path: '/api/v2/auth/session',
  summary: 'Sign out',
  description: 'Ends the session on every process and clears the cookie.',
  finishesSignIn: true,
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  async change(tx, { caller, browser }) {
    await endSession(tx, caller.sessionId);
    return {
      reply: {
        status: 200,
        data: { deleted: true as const },
        headers: { 'Set-Cookie': sessionCookie(null, browser.secureCookie) },
      },
      audit: { action: 'session.ended', target: { type: 'session', id: caller.sessionId } },
    };
  },
});
