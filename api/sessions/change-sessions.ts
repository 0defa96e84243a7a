import { z } from 'zod';
import { refuseFullStorage } from '../../db/plans/allowances.ts';
import { createSession, getSession, listSessions, lockSession, updateSession } from '../../db/sessions/sessions.ts';
import { deleteSession } from '../../db/sessions/messages.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  createSessionBody,
  listedSessionSchema,
  listSessionsQuery,
  presentSession,
  sessionParams,
  sessionSchema,
  updateSessionBody,
} from './schemas.ts';

export const listSessionsRoute = defineRoute({
  of: 'environment',
  id: 'sessions.list',
  method: 'GET',
  path: '/api/v2/sessions',
  summary: 'List sessions, newest first',
  scope: 'sessions:read',
  role: 'member',
  request: { query: listSessionsQuery },
  response: { 200: z.array(listedSessionSchema) },
  list: async (tx, { query, page }) => presented(await listSessions(tx, { ...query, ...page }), presentSession),
});

export const createSessionRoute = defineRoute({
  of: 'environment',
  id: 'sessions.create',
  method: 'POST',
  path: '/api/v2/sessions',
  summary: 'Begin a session',
  description: 'A session is one conversation of an agent: its messages in one order, each with a number.',
  scope: 'sessions:write',
  role: 'admin',
  request: { body: createSessionBody },
  response: { 201: sessionSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body }) {
    const session = await createSession(tx, body);
    await refuseFullStorage(tx);
    return { reply: { status: 201, data: presentSession(session) }, audit: 'none: the session is the record of it' };
  },
});

export const getSessionRoute = defineRoute({
  of: 'environment',
  id: 'sessions.get',
  method: 'GET',
  path: '/api/v2/sessions/{id}',
  summary: 'Get a session',
  scope: 'sessions:read',
  role: 'member',
  request: { params: sessionParams },
  response: { 200: sessionSchema },
  read: async (tx, { params }) => presentSession(existing(await getSession(tx, params.id), 'session')),
});

export const updateSessionRoute = defineRoute({
  of: 'environment',
  id: 'sessions.update',
  method: 'PATCH',
  path: '/api/v2/sessions/{id}',
  summary: 'Change a session',
  description: 'Only what the body names changes. `ttlSeconds` counts from now; null ends the expiry.',
  scope: 'sessions:write',
  role: 'admin',
  request: { params: sessionParams, body: updateSessionBody },
  response: { 200: sessionSchema },
  errors: ['QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params, body }) {
    const session = existing(await updateSession(tx, params.id, body), 'session');
    await refuseFullStorage(tx);
    return { reply: { status: 200, data: presentSession(session) }, audit: 'none: the session is the record of it' };
  },
});

export const deleteSessionRoute = defineRoute({
  of: 'environment',
  id: 'sessions.delete',
  method: 'DELETE',
  path: '/api/v2/sessions/{id}',
  summary: 'Delete a session with its messages',
  scope: 'sessions:write',
  role: 'admin',
  request: { params: sessionParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  idempotent: true,
  async change(tx, { params: { id } }) {
    const session = existing(await lockSession(tx, id), 'session');
    await deleteSession(tx, id);
    const { name, messageCount } = session;
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'session.deleted', target: { type: 'session', id }, details: { name, messageCount } },
    };
  },
});
