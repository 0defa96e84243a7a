import { z } from 'zod';
import { dismiss, getNotification, markAllRead, markRead } from '../../db/notifications/inbox.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { notificationParams, notificationSchema, presentNotification, readerOf } from './schemas.ts';

const OWN_VIEW = 'none: it changes what its reader sees, and nothing that anybody else does';

export const readNotificationRoute = defineRoute({
  of: 'environment',
  id: 'notifications.read',
  method: 'PATCH',
  path: '/api/v2/notifications/{id}/read',
  summary: 'Mark a notification as read',
  description: 'For this reader alone. Marking it again keeps the time.',
  scope: 'notifications:write',
  role: 'member',
  request: { params: notificationParams },
  response: { 200: notificationSchema },
  async change(tx, { params: { id }, caller, deps }) {
    const reader = readerOf(caller);
    await markRead(tx, reader, id);
    const notification = existing(await getNotification(tx, reader, id), 'notification');
    return { reply: { status: 200, data: presentNotification(notification, deps, caller) }, audit: OWN_VIEW };
  },
});

export const readAllNotificationsRoute = defineRoute({
  of: 'environment',
  id: 'notifications.readAll',
  method: 'PATCH',
  path: '/api/v2/notifications/read-all',
  summary: 'Mark all notifications as read',
  description: 'All that this reader sees; what a member has muted stays as it is.',
  scope: 'notifications:write',
  role: 'member',
  response: { 200: z.strictObject({ read: z.int().min(0).describe('How many were unread.') }) },
  async change(tx, { caller }) {
    return { reply: { status: 200, data: { read: await markAllRead(tx, readerOf(caller)) } }, audit: OWN_VIEW };
  },
});

export const deleteNotificationRoute = defineRoute({
  of: 'environment',
  id: 'notifications.delete',
  method: 'DELETE',
  path: '/api/v2/notifications/{id}',
  summary: 'Delete a notification from the own view',
  description: 'Everybody else keeps it. It is there again where the same thing happens again within its hour.',
  scope: 'notifications:write',
  role: 'member',
  request: { params: notificationParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  async change(tx, { params: { id }, caller }) {
    if (!(await dismiss(tx, readerOf(caller), id))) throw notFound('notification');
    return { reply: { status: 200, data: { deleted: true as const } }, audit: OWN_VIEW };
  },
});
