import type { AnyRoute } from '../http/define-route.ts';
import { archiveActionRoute } from './archive-action.ts';
import { createActionRoute } from './create-action.ts';
import { getActionRoute } from './get-action.ts';
import { importActionsRoute } from './import-actions.ts';
import { listActionsRoute } from './list-actions.ts';
import { getVersionRoute, listVersionsRoute } from './read-versions.ts';
import { updateActionRoute } from './update-action.ts';

export const actionRoutes: AnyRoute[] = [
  listActionsRoute,
  createActionRoute,
  importActionsRoute,
  getActionRoute,
  updateActionRoute,
  archiveActionRoute,
  listVersionsRoute,
  getVersionRoute,
];
