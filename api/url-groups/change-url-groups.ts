import { z } from 'zod';
import {
  addEndpoints,
  createUrlGroup,
  deleteUrlGroup,
  getUrlGroup,
  lockUrlGroup,
  renameUrlGroup,
  withEndpoints,
} from '../../db/url-groups/url-groups.ts';
import { existing } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  createGroupBody,
  groupParams,
  groupWithEndpointsSchema,
  presentGroupWithEndpoints,
  renameGroupBody,
} from './schemas.ts';

export const createGroupRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.create',
  method: 'POST',
  path: '/api/v2/url-groups',
  summary: 'Create a URL group',
  description: 'With its first endpoints, if you name them. A publish to the group makes a message for each endpoint.',
  scope: 'url-groups:write',
  role: 'admin',
  request: { body: createGroupBody },
  response: { 201: groupWithEndpointsSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { body }) {
    const id = await createUrlGroup(tx, body.name);
    await addEndpoints(tx, { id, endpointCount: 0 }, body.endpoints);
    const group = await getUrlGroup(tx, id);
    if (group === null) throw new Error(`URL group ${id} was made and is gone`);
    const { name, endpointCount } = group;
    return {
      reply: { status: 201, data: presentGroupWithEndpoints(group) },
      audit: { action: 'url_group.created', target: { type: 'url_group', id }, details: { name, endpointCount } },
    };
  },
});

export const renameGroupRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.update',
  method: 'PATCH',
  path: '/api/v2/url-groups/{groupId}',
  summary: 'Rename a URL group',
  description: 'Publish requests that name the group by its id go on as before.',
  scope: 'url-groups:write',
  role: 'admin',
  request: { params: groupParams, body: renameGroupBody },
  response: { 200: groupWithEndpointsSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { groupId: id }, body: { name } }) {
    const before = existing(await lockUrlGroup(tx, id), 'URL group');
    const isChanged = name !== before.name;
    if (isChanged) await renameUrlGroup(tx, id, name);
    const after = await getUrlGroup(tx, id);
    if (after === null) throw new Error(`URL group ${id} was locked and is gone`);
    return {
      reply: { status: 200, data: presentGroupWithEndpoints(after) },
      audit: isChanged
        ? {
            action: 'url_group.updated',
            target: { type: 'url_group', id },
            details: { name, before: { name: before.name } },
          }
        : 'none: the group has that name already',
    };
  },
});

export const deleteGroupRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.delete',
  method: 'DELETE',
  path: '/api/v2/url-groups/{groupId}',
  summary: 'Delete a URL group',
  description: 'Its name is free then. Messages that were published to it are delivered all the same.',
  scope: 'url-groups:write',
  role: 'admin',
  request: { params: groupParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  idempotent: true,
  async change(tx, { params: { groupId: id } }) {
    const locked = existing(await lockUrlGroup(tx, id), 'URL group');
    const { name, endpoints } = await withEndpoints(tx, locked);
    await deleteUrlGroup(tx, id);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: {
        action: 'url_group.deleted',
        target: { type: 'url_group', id },
        details: { name, endpoints: endpoints.map((endpoint) => endpoint.id) },
      },
    };
  },
});
