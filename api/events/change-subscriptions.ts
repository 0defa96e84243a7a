import { z } from 'zod';
import {
  deleteSubscription,
  getSubscription,
  type LockedSubscription,
  lockSubscription,
  openHeaders,
  sealHeaders,
  updateSubscription,
} from '../../db/events/subscriptions.ts';
import { rotateSubscriptionSecret } from '../../db/events/subscription-secrets.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { headersAfter } from '../../domain/events/subscription-headers.ts';
import { REDACTED } from '../../domain/redacted.ts';
import { RETIRING_SECRETS_MAX } from '../../domain/events/topics.ts';
import { auditedHost } from '../audit/audited-host.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  deletedSchema,
  presentSubscription,
  rotatedSecretSchema,
  subscriptionParams,
  subscriptionSchema,
  updateSubscriptionBody,
} from './schemas.ts';
import { subscriptionEntry } from './subscription-entry.ts';

/** Rotation and its grace period: docs/events.md, "Signatures". */
const GRACE_SECONDS_DEFAULT = 86_400;
const GRACE_SECONDS_MAX = 604_800;

export const updateSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.update',
  method: 'PATCH',
  path: '/api/v2/events/subscriptions/{subscriptionId}',
  summary: 'Change a subscription',
  description:
    'Members that are left out stay. A change holds for the events whose deliveries are made from now on. Sealed values of headers stay ' +
    'with their origin: for a URL of another one give them anew, and also where they do not open (409). Enabling a subscription that the service disabled forgets its failures.',
  scope: 'events:write',
  alsoScope: 'events:read', // it may send what is published elsewhere
  role: 'admin',
  request: { params: subscriptionParams, body: updateSubscriptionBody },
  response: { 200: subscriptionSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { subscriptionId }, body, caller, deps }) {
    const { tenant } = caller;
    const before = await locked(tx, subscriptionId);
    if (Object.values(body).every((value) => value === undefined)) {
      return { reply: { status: 200, data: presentSubscription(before) }, audit: 'none: nothing was to be changed' };
    }
    const { url = before.url, eventTypes = before.eventTypes, enabled = before.enabled } = body;
    const isKept = Object.values(body.headers ?? {}).includes(REDACTED);
    // A request that replaces all headers must succeed even if the earlier ones cannot be opened.
    const sent = isKept ? openHeaders(deps.resealing, tenant, before.id, before) : before.headers;
    const headers = headersAfter({ url: before.url, shown: before.headers, sent }, url, body.headers);
    await updateSubscription(tx, {
      id: before.id,
      url,
      eventTypes,
      enabled,
      headers: body.headers === undefined ? undefined : sealHeaders(deps.vault, tenant, before.id, headers),
    });
    const after = await getSubscription(tx, before.id);
    if (after === null) throw new Error(`subscription ${before.id} was locked and is gone`);
    return {
      reply: { status: 200, data: presentSubscription(after) },
      audit: subscriptionEntry('subscription.updated', after, {
        headers: Object.keys(after.headers ?? {}),
        before: {
          host: auditedHost(before.url),
          eventTypes: before.eventTypes,
          enabled: before.enabled,
          headers: Object.keys(before.headers ?? {}),
        },
      }),
    };
  },
});

export const deleteSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.delete',
  method: 'DELETE',
  path: '/api/v2/events/subscriptions/{subscriptionId}',
  summary: 'Delete a subscription',
  description: 'It gets no event any more. Messages that were made for it are delivered all the same.',
  scope: 'events:write',
  role: 'admin',
  request: { params: subscriptionParams },
  response: { 200: deletedSchema },
  idempotent: true,
  async change(tx, { params: { subscriptionId } }) {
    const subscription = await locked(tx, subscriptionId);
    await deleteSubscription(tx, subscription.id);
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: subscriptionEntry('subscription.deleted', subscription),
    };
  },
});

export const rotateSecretRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.rotateSecret',
  method: 'POST',
  path: '/api/v2/events/subscriptions/{subscriptionId}/rotate-secret',
  summary: 'Give a subscription a new signing secret and show it once',
  description:
    'What signed before, its earlier secret or the keys of the workspace, signs beside the new one for the grace period, so that the receiver ' +
    'has time to change. This reply shows the secret, and no later one does. It takes no Idempotency-Key, because the secret is kept ' +
    'nowhere but in the vault.',
  scope: 'events:write',
  alsoScope: 'events:read', // whoever holds the secret signs as we do
  role: 'admin',
  request: {
    params: subscriptionParams,
    body: z.strictObject({
      gracePeriodSeconds: z
        .int()
        .min(0)
        .max(GRACE_SECONDS_MAX)
        .default(GRACE_SECONDS_DEFAULT)
        .describe('How long what signed before still signs. 0: from now on it does not.'),
    }),
  },
  response: { 201: rotatedSecretSchema },
  errors: ['CONFLICT'],
  async change(tx, { params, body: { gracePeriodSeconds }, caller: { tenant }, deps }) {
    const subscription = await locked(tx, params.subscriptionId);
    const { id: subscriptionId } = subscription;
    const rotated = await rotateSubscriptionSecret(tx, deps.vault, tenant, { subscriptionId, gracePeriodSeconds });
    if (rotated === null) {
      throw new ServiceError('CONFLICT', {
        message: `${RETIRING_SECRETS_MAX} earlier secrets still sign. Wait until one retires, or rotate with gracePeriodSeconds 0.`,
      });
    }
    const { secret, previousSignsUntil } = rotated;
    return {
      reply: {
        status: 201,
        data: { subscriptionId, secret, previousSignsUntil: previousSignsUntil?.toISOString() ?? null },
      },
      audit: subscriptionEntry('subscription.secret_rotated', subscription, { gracePeriodSeconds }),
    };
  },
});

async function locked(tx: EnvironmentTransaction, id: string): Promise<LockedSubscription> {
  const found = existing(await lockSubscription(tx, id), 'subscription');
  return found;
}
