import { z } from 'zod';
import { getUrlGroup, listUrlGroups } from '../../db/url-groups/url-groups.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  groupParams,
  groupSchema,
  groupWithEndpointsSchema,
  listGroupsQuery,
  presentGroup,
  presentGroupWithEndpoints,
} from './schemas.ts';

export const listGroupsRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.list',
  method: 'GET',
  path: '/api/v2/url-groups',
  summary: 'List URL groups, newest first',
  description: 'Without their endpoints, of which there may be many; the group itself shows them.',
  scope: 'url-groups:read',
  role: 'member',
  request: { query: listGroupsQuery },
  response: { 200: z.array(groupSchema) },
  list: async (tx, { query, page }) => presented(await listUrlGroups(tx, { ...query, ...page }), presentGroup),
});

export const getGroupRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.get',
  method: 'GET',
  path: '/api/v2/url-groups/{groupId}',
  summary: 'Get a URL group with its endpoints',
  scope: 'url-groups:read',
  role: 'member',
  request: { params: groupParams },
  response: { 200: groupWithEndpointsSchema },
  read: async (tx, { params }) =>
    presentGroupWithEndpoints(existing(await getUrlGroup(tx, params.groupId), 'URL group')),
});
