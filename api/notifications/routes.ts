import type { AnyRoute } from '../http/define-route.ts';
import { deleteNotificationRoute, readAllNotificationsRoute, readNotificationRoute } from './mark-notifications.ts';
import {
  getOwnPreferencesRoute,
  getPreferencesRoute,
  testWebhookRoute,
  updateOwnPreferencesRoute,
  updatePreferencesRoute,
} from './preferences.ts';
import { countUnreadRoute, listNotificationsRoute } from './read-notifications.ts';

export const notificationRoutes: AnyRoute[] = [
  listNotificationsRoute,
  countUnreadRoute,
  readNotificationRoute,
  readAllNotificationsRoute,
  deleteNotificationRoute,
  getPreferencesRoute,
  updatePreferencesRoute,
  testWebhookRoute,
  getOwnPreferencesRoute,
  updateOwnPreferencesRoute,
];
