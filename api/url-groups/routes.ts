import type { AnyRoute } from '../http/define-route.ts';
import { addEndpointRoute, removeEndpointRoute } from './change-endpoints.ts';
import { createGroupRoute, deleteGroupRoute, renameGroupRoute } from './change-url-groups.ts';
import { publishToGroupRoute } from './publish-to-group.ts';
import { getGroupRoute, listGroupsRoute } from './read-url-groups.ts';

export const urlGroupRoutes: AnyRoute[] = [
  listGroupsRoute,
  createGroupRoute,
  getGroupRoute,
  renameGroupRoute,
  deleteGroupRoute,
  addEndpointRoute,
  removeEndpointRoute,
  publishToGroupRoute,
];
