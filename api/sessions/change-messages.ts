import { z } from 'zod';
import { refuseFullStorage } from '../../db/plans/allowances.ts';
import { appendMessages, clearMessages, listMessages, popMessage } from '../../db/sessions/messages.ts';
import { getSession, lockSession } from '../../db/sessions/sessions.ts';
import { existing } from '../../domain/errors.ts';
import { countedTexts, tokensOfMessages } from '../../domain/sessions/sessions.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { appendBody, listMessagesQuery, messageSchema, presentMessage, sessionParams } from './schemas.ts';

export const listMessagesRoute = defineRoute({
  of: 'environment',
  id: 'sessions.messages.list',
  method: 'GET',
  path: '/api/v2/sessions/{id}/messages',
  summary: 'List the messages of a session',
  description:
    'Oldest first, or newest first with `order=desc`. Messages are whole. `after=<sequence>` goes on behind a message that was read, ' +
    'whatever was appended or removed meanwhile.',
  scope: 'sessions:read',
  role: 'member',
  request: { params: sessionParams, query: listMessagesQuery },
  response: { 200: z.array(messageSchema) },
  async list(tx, { params, query, page }) {
    const session = existing(await getSession(tx, params.id), 'session');
    return presented(await listMessages(tx, session.id, { ...query, ...page }), presentMessage);
  },
});

export const appendMessagesRoute = defineRoute({
  of: 'environment',
  id: 'sessions.messages.append',
  method: 'POST',
  path: '/api/v2/sessions/{id}/messages',
  summary: 'Append messages to a session',
  description:
    'All or none, in the order of the request. Each gets the next `sequence`: messages appended at the same time come before or after, ' +
    'and the numbers have no gap. Send an Idempotency-Key, so that a request that is sent again appends once.',
  scope: 'sessions:write',
  role: 'admin',
  request: { params: sessionParams, body: appendBody },
  response: { 201: z.array(messageSchema) },
  errors: ['QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  idempotent: true,
  /** Before the transaction: the session's row is locked from the append to the commit. */
  async prepare({ body: { messages }, caller, deps }) {
    const counts = await deps.tokens.count(caller.tenant.workspaceId, messages.flatMap(countedTexts));
    return tokensOfMessages(messages, counts);
  },
  async change(tx, { params, body: { messages } }, tokens) {
    const counted = messages.map((message, index) => ({ ...message, tokens: tokens[index] ?? 0 }));
    const appended = existing(await appendMessages(tx, params.id, counted), 'session');
    await refuseFullStorage(tx);
    return {
      reply: { status: 201, data: appended.map(presentMessage) },
      audit: 'none: the messages are the record of it',
    };
  },
});

export const clearMessagesRoute = defineRoute({
  of: 'environment',
  id: 'sessions.messages.clear',
  method: 'DELETE',
  path: '/api/v2/sessions/{id}/messages',
  summary: 'Delete all messages of a session',
  description: 'The session stays. Numbers go on where they were: none is used twice.',
  scope: 'sessions:write',
  role: 'admin',
  request: { params: sessionParams },
  response: { 200: z.strictObject({ deleted: z.int().min(0).describe('How many there were.') }) },
  idempotent: true,
  async change(tx, { params: { id } }) {
    const session = existing(await lockSession(tx, id), 'session');
    const deleted = await clearMessages(tx, id);
    return {
      reply: { status: 200, data: { deleted } },
      audit:
        deleted === 0
          ? 'none: there was no message'
          : { action: 'session.cleared', target: { type: 'session', id }, details: { name: session.name, deleted } },
    };
  },
});

export const popMessageRoute = defineRoute({
  of: 'environment',
  id: 'sessions.messages.pop',
  method: 'DELETE',
  path: '/api/v2/sessions/{id}/messages/last',
  summary: 'Remove the newest message of a session',
  description: 'Answers the message. A session without messages answers 404. Its number is not used again.',
  scope: 'sessions:write',
  role: 'admin',
  request: { params: sessionParams },
  response: { 200: messageSchema },
  idempotent: true,
  async change(tx, { params: { id } }) {
    const session = existing(await lockSession(tx, id), 'session');
    const popped = existing(await popMessage(tx, id), 'message of this session');
    return {
      reply: { status: 200, data: presentMessage(popped) },
      audit: {
        action: 'session.message_removed',
        target: { type: 'session', id },
        details: { name: session.name, sequence: popped.sequence, role: popped.role },
      },
    };
  },
});
