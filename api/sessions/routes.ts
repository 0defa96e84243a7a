import type { AnyRoute } from '../http/define-route.ts';
import { appendMessagesRoute, clearMessagesRoute, listMessagesRoute, popMessageRoute } from './change-messages.ts';
import {
  createSessionRoute,
  deleteSessionRoute,
  getSessionRoute,
  listSessionsRoute,
  updateSessionRoute,
} from './change-sessions.ts';

export const sessionRoutes: AnyRoute[] = [
  listSessionsRoute,
  createSessionRoute,
  getSessionRoute,
  updateSessionRoute,
  deleteSessionRoute,
  listMessagesRoute,
  appendMessagesRoute,
  clearMessagesRoute,
  popMessageRoute,
];
