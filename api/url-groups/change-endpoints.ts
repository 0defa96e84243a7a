import { z } from 'zod';
import {
  addEndpoints,
  type EndpointRecord,
  lockUrlGroup,
  removeEndpoint,
  type UrlGroupRecord,
} from '../../db/url-groups/url-groups.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { uuidOf } from '../../domain/uuid.ts';
import { auditedHost } from '../audit/audited-host.ts';
import { type AuditEntry, defineRoute } from '../http/define-route.ts';
import { endpointBody, endpointParams, endpointSchema, groupParams, presentEndpoint } from './schemas.ts';

export const addEndpointRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.endpoints.add',
  method: 'POST',
  path: '/api/v2/url-groups/{groupId}/endpoints',
  summary: 'Add an endpoint to a URL group',
  description: 'It gets what is published from now on.',
  scope: 'url-groups:write',
  role: 'admin',
  request: { params: groupParams, body: endpointBody },
  response: { 201: endpointSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  idempotent: true,
  async change(tx, { params, body }) {
    const group = existing(await lockUrlGroup(tx, params.groupId), 'URL group');
    const [endpoint] = await addEndpoints(tx, group, [body]);
    if (endpoint === undefined) throw new Error(`no endpoint was added to URL group ${group.id}`);
    return {
      reply: { status: 201, data: presentEndpoint(endpoint) },
      audit: endpointEntry('url_group.endpoint_added', group, endpoint),
    };
  },
});

export const removeEndpointRoute = defineRoute({
  of: 'environment',
  id: 'urlGroups.endpoints.remove',
  method: 'DELETE',
  path: '/api/v2/url-groups/{groupId}/endpoints/{endpointId}',
  summary: 'Remove an endpoint from a URL group',
  description:
    'It gets nothing that is published from now on. Messages that were published to it before are delivered all the same: cancel ' +
    'those that have not begun one by one.',
  scope: 'url-groups:write',
  role: 'admin',
  request: { params: endpointParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  idempotent: true,
  async change(tx, { params: { groupId, endpointId } }) {
    const group = existing(await lockUrlGroup(tx, groupId), 'URL group');
    const named = uuidOf(endpointId);
    const endpoint = named === null ? null : await removeEndpoint(tx, groupId, named);
    if (endpoint === null) throw notFound('endpoint of this URL group');
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: endpointEntry('url_group.endpoint_removed', group, endpoint),
    };
  },
});

function endpointEntry(
  action: 'url_group.endpoint_added' | 'url_group.endpoint_removed',
  group: UrlGroupRecord,
  { id, url, retryCount }: EndpointRecord,
): AuditEntry {
  return {
    action,
    target: { type: 'url_group', id: group.id },
    details: { name: group.name, endpointId: id, host: auditedHost(url), retryCount },
  };
}
