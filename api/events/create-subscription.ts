import type { z } from 'zod';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import {
  getSubscription,
  insertSubscription,
  sealHeaders,
  subscriptionSecretAssociatedData,
} from '../../db/events/subscriptions.ts';
import { firstSecretId, insertFirstSecret, readFirstSecret } from '../../db/events/subscription-secrets.ts';
import { lockTopicToSubscribe } from '../../db/events/topics.ts';
import { refuseUsedUp } from '../../db/plans/allowances.ts';
import { isUnopened } from '../../db/secrets/vault.ts';
import { describeFailure } from '../../domain/failures.ts';
import { newId } from '../../domain/ids.ts';
import { defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { createdSubscriptionSchema, createSubscriptionBody, presentSubscription, topicParams } from './schemas.ts';
import { subscriptionEntry } from './subscription-entry.ts';

export const createSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.create',
  method: 'POST',
  path: '/api/v2/events/topics/{ref}/subscriptions',
  summary: 'Subscribe to a topic',
  description:
    'Events that are published from now on are delivered to the URL, where a pattern of `eventTypes` matches their type. The reserved ' +
    'topic `service` tells of the service itself; it is made by its first subscription. With `generateSecret` the reply holds a signing ' +
    'secret, once; a retry under the same Idempotency-Key holds it again. 402: no message of the month is left, or the topic has 10,000 subscriptions.',
  scope: 'events:write',
  alsoScope: 'events:read', // a subscription tells what is published
  role: 'admin',
  request: { params: topicParams, body: createSubscriptionBody },
  response: { 201: createdSubscriptionSchema },
  errors: ['QUOTA_EXCEEDED'],
  quotaStatus: 402,
  idempotent: true,
  async change(tx, { params: { ref }, body, caller, deps }) {
    const { tenant } = caller;
    const topic = await lockTopicToSubscribe(tx, ref);
    await refuseUsedUp(tx, 'messages');
    const { generateSecret, headers = null, ...plain } = body;
    const id = newId('subscription');
    await insertSubscription(tx, topic, { ...plain, id, headers: sealHeaders(deps.vault, tenant, id, headers) });
    if (generateSecret) await insertFirstSecret(tx, deps.vault, tenant, id);
    const subscription = await getSubscription(tx, id);
    if (subscription === null) throw new Error(`subscription ${id} was made and is gone`);
    return {
      reply: { status: 201, data: presentSubscription(subscription) },
      audit: subscriptionEntry('subscription.created', subscription),
    };
  },
  reveal: showFirstSecret,
});

type Created = z.input<typeof createdSubscriptionSchema>;

/** The recorded reply has no secret: only the vault has it. A replay lacks it once it has ended or cannot be opened. */
async function showFirstSecret(
  tx: EnvironmentTransaction,
  data: Created,
  { tenant, deps }: { tenant: Tenant; deps: WorkDependencies },
): Promise<Created> {
  const sealed = data.hasCustomSecret ? await readFirstSecret(tx, data.id) : null;
  if (sealed === null) return data;
  try {
    const associatedData = subscriptionSecretAssociatedData(tenant, firstSecretId(data.id));
    return { ...data, secret: deps.resealing.open(associatedData, sealed) };
  } catch (error) {
    if (!isUnopened(error)) throw error;
    deps.logger.error(
      { subscriptionId: data.id, failure: describeFailure(error) },
      'the secret of a subscription does not open',
    );
    return data;
  }
}
