import { z } from 'zod';
import { countUnread, listNotifications } from '../../db/notifications/inbox.ts';
import { defineRoute } from '../http/define-route.ts';
import { presented, queryBoolean } from '../http/common-fields.ts';
import { notificationSchema, presentNotification, readerOf, typeField } from './schemas.ts';

export const listNotificationsRoute = defineRoute({
  of: 'environment',
  id: 'notifications.list',
  method: 'GET',
  path: '/api/v2/notifications',
  summary: 'List notifications, newest first',
  description:
    'What the members of the environment are told of: approvals that wait, effects that nobody knows the outcome of, limits and budgets, ' +
    'dead letters, subscriptions that were disabled, halts. What a reader has read or deleted is theirs alone, and a member does not see ' +
    'what they have muted.',
  scope: 'notifications:read',
  role: 'member',
  request: { query: z.strictObject({ type: typeField.optional(), unread: queryBoolean.optional() }) },
  response: { 200: z.array(notificationSchema) },
  list: async (tx, { query, page, caller, deps }) =>
    presented(await listNotifications(tx, readerOf(caller), { ...query, ...page }), (each) =>
      presentNotification(each, deps, caller),
    ),
});

export const countUnreadRoute = defineRoute({
  of: 'environment',
  id: 'notifications.unreadCount',
  method: 'GET',
  path: '/api/v2/notifications/unread-count',
  summary: 'Count unread notifications',
  scope: 'notifications:read',
  role: 'member',
  response: { 200: z.strictObject({ unread: z.int().min(0) }) },
  read: async (tx, { caller }) => ({ unread: await countUnread(tx, readerOf(caller)) }),
});
