import { z } from 'zod';
import { countGrantsOfUser, createGrant, isConsentedTo } from '../../db/oauth/grants.ts';
import { getEnvironment } from '../../db/environments/environments.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { isScope, leastRoleOf, type Scope } from '../../domain/scopes.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireRole } from '../http/rights.ts';
import { requirePasskeyIn } from '../http/second-factor.ts';

/** After this long the user decides anew. */
const GRANT_LIFETIME_DAYS = 365;
/** A user has no more, in all workspaces together. */
export const CONNECTED_APPS_MAX = 200;

const offeredScope = z.custom<Scope>(
  (scope) => typeof scope === 'string' && isScope(scope) && OFFERED_SCOPES.includes(scope),
  'no app gets this',
);

/**
 * What the consent page does, in the form of a route, so that it passes the same gates and leaves the same trail. No path leads to it: a consent
 * is a click on our page, and a program of the user has API keys.
 */
export const consentRoute = defineRoute({
  of: 'workspace',
  id: 'oauth.consent',
  method: 'POST',
  path: '/console/connect/{workspaceId}',
  summary: 'Let an app act for the member',
  role: 'member',
  request: {
    params: z.strictObject({ workspaceId: z.uuid() }),
    body: z.strictObject({
      environmentId: z.uuid(),
      grantId: z.string(),
      /** Hexadecimal. */
      requestHash: z.string().length(64),
      clientId: z.string().min(1).max(2_048),
      clientName: z.string().min(1).max(200),
      resource: z.enum(['mcp', 'api']),
      scopes: z.array(offeredScope).min(1, 'Choose at least one permission.'),
      openid: z.boolean(),
    }),
  },
  response: { 201: z.strictObject({ id: z.string() }) },
  errors: ['CONFLICT'],
  inEnvironment: ({ body }) => body.environmentId,
  async change(tx, { caller, body }) {
    const { environmentId, grantId, clientId, clientName, resource, scopes, openid } = body;
    // An app shows no passkey, and acts for a year.
    requirePasskeyIn(existing(await getEnvironment(tx, environmentId), 'environment'), caller.authentication);
    // The page leaves these out. The role is held until the commit: a member who was an admin when the page was read gets none of them.
    for (const scope of scopes) requireRole(caller.role, leastRoleOf(scope));
    const requestHash = Buffer.from(body.requestHash, 'hex');
    if (await isConsentedTo(tx, requestHash)) {
      throw new ServiceError('CONFLICT', { message: 'This request was answered already. Start again in the app.' });
    }
    if ((await countGrantsOfUser(tx, caller.userId)) >= CONNECTED_APPS_MAX) {
      const message = `You have connected ${CONNECTED_APPS_MAX} apps. Disconnect one that you no longer use.`;
      throw new ServiceError('CONFLICT', { message });
    }
    const { workspaceId, userId } = caller;
    const granted = { clientId, clientName, resource, scopes, openid };
    await createGrant(tx, {
      ...granted,
      id: grantId,
      userId,
      workspaceId,
      requestHash,
      lifetimeDays: GRANT_LIFETIME_DAYS,
    });
    return {
      reply: { status: 201, data: { id: grantId } },
      audit: {
        action: 'app.connected',
        target: { type: 'connected_app', id: grantId },
        details: { clientId, clientName, resource, scopes: [...scopes].sort() },
        environmentId,
      },
    };
  },
});
