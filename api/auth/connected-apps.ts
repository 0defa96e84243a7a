import { z } from 'zod';
import { type ConnectedApp, endConnectedApp, listConnectedApps } from '../../db/oauth/connected-apps.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { presented, scopeSchema } from '../http/common-fields.ts';

export const connectedAppSchema = z
  .strictObject({
    id: z.string(),
    clientId: z.string().describe('As the app named itself, or as it was named when it registered.'),
    name: z.string().describe('What the app says of itself.'),
    resource: z.enum(['mcp', 'api']).describe('Whether its tokens are for the MCP endpoint or for the REST API.'),
    workspace: z.strictObject({ id: z.uuid(), name: z.string() }),
    environment: z.strictObject({
      id: z.uuid(),
      name: z.string(),
      kind: z.enum(['development', 'staging', 'production']),
    }),
    scopes: z.array(scopeSchema).describe('What the user allowed, sorted.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    expiresAt: z.iso.datetime().describe('The user decides anew after that.'),
  })
  .meta({ id: 'ConnectedApp', description: 'An app that the user lets act for them in one environment.' });

export const listConnectedAppsRoute = defineRoute({
  of: 'user',
  id: 'auth.connected-apps.list',
  method: 'GET',
  path: '/api/v2/auth/connected-apps',
  summary: 'List connected apps',
  description: 'The apps that the signed-in user lets act for them by OAuth, in all their workspaces, newest first.',
  response: { 200: z.array(connectedAppSchema) },
  list: async (tx, { caller, page }) => presented(await listConnectedApps(tx, caller.userId, page), present),
});

export const deleteConnectedAppRoute = defineRoute({
  of: 'user',
  id: 'auth.connected-apps.delete',
  method: 'DELETE',
  path: '/api/v2/auth/connected-apps/{id}',
  summary: 'Disconnect an app',
  description:
    'Ends all its tokens: its next call fails, on every process. Invocations that it asked for and that were not sent by then are refused ' +
    'with `requester_revoked`, and what it agreed to and was not sent with `approval_invalidated`. Messages, events and schedules that it ' +
    'made go on. Another connection of the same app is not touched. Connecting it again takes a new consent.',
  exempt: {
    heldCredential: 'Its request is of the very user whose app it is, and the suite signs in another one.',
  },
  request: { params: z.strictObject({ id: z.string().min(1).max(100) }) },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  errors: ['NOT_FOUND'],
  async change(tx, { params: { id } }) {
    const ended = await endConnectedApp(tx, id);
    if (ended === null) throw new ServiceError('NOT_FOUND', { message: 'You have connected no such app.' });
    const { workspaceId, environmentId, clientId } = ended;
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: {
        action: 'app.disconnected',
        target: { type: 'connected_app', id },
        details: { endedBy: 'user', clientId },
        workspaceId,
        environmentId,
      },
    };
  },
});

function present(app: ConnectedApp): z.input<typeof connectedAppSchema> {
  const { id, clientId, name, resource, scopes } = app;
  return {
    id,
    clientId,
    name,
    resource,
    workspace: { id: app.workspaceId, name: app.workspaceName },
    environment: { id: app.environmentId, name: app.environmentName, kind: app.environmentKind },
    scopes: z.array(scopeSchema).parse([...scopes].sort()),
    createdAt: app.createdAt.toISOString(),
    lastUsedAt: app.lastUsedAt?.toISOString() ?? null,
    expiresAt: app.expiresAt.toISOString(),
  };
}
