import { z } from 'zod';
import { endSession } from '../../db/auth/end-session.ts';
import { listWorkspacesOfUser } from '../../db/users/list-workspaces-of-user.ts';
import { defineUserRoute } from '../http/define-route.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { recordAccountChange } from './audit.ts';
import { presentSession, sessionSchema } from './schemas.ts';

export const getSessionRoute = defineUserRoute({
  id: 'auth.session.get',
  method: 'GET',
  path: '/api/v2/auth/session',
  summary: 'Get who is signed in',
  request: {},
  response: { 200: sessionSchema },
  errors: [],
  async handler({ caller, deps }) {
    const workspaces = await listWorkspacesOfUser(deps.db, caller.userId);
    const user = { id: caller.userId, email: caller.email, name: caller.name };
    return { status: 200, data: presentSession({ ...caller, user, workspaces }) };
  },
});

export const signOutRoute = defineUserRoute({
  id: 'auth.session.delete',
  method: 'DELETE',
  path: '/api/v2/auth/session',
  summary: 'Sign out',
  description: 'Ends the session on every process and takes the cookie away.',
  request: {},
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: [],
  async handler({ caller, browser, requestId, deps }) {
    await deps.db.withUser(caller.userId, (tx) => endSession(tx, caller.sessionId));
    await recordAccountChange(deps, caller.userId, {
      actor: { type: 'user', id: caller.userId },
      action: 'session.ended',
      target: { type: 'session', id: caller.sessionId },
      requestId,
    });
    return {
      status: 200,
      data: { deleted: true as const },
      headers: { 'Set-Cookie': sessionCookie(null, browser.secureCookie) },
    };
  },
});
