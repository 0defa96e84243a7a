import { z } from 'zod';
import { getSubscription, listSubscriptions } from '../../db/events/subscriptions.ts';
import { requireTopic } from '../../db/events/topics.ts';
import { existing } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import {
  listedSubscriptionSchema,
  presentListedSubscription,
  presentSubscription,
  subscriptionParams,
  subscriptionSchema,
  topicParams,
} from './schemas.ts';

export const listSubscriptionsRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.list',
  method: 'GET',
  path: '/api/v2/events/topics/{ref}/subscriptions',
  summary: "List a topic's subscriptions, newest first",
  description: 'A subscription with large headers shows their beginning. The subscription itself shows all of them.',
  scope: 'events:read',
  role: 'member',
  request: { params: topicParams },
  response: { 200: z.array(listedSubscriptionSchema) },
  async list(tx, { params: { ref }, page }) {
    const { id: topicId } = await requireTopic(tx, ref);
    return presented(await listSubscriptions(tx, { topicId, ...page }), presentListedSubscription);
  },
});

export const getSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.get',
  method: 'GET',
  path: '/api/v2/events/subscriptions/{subscriptionId}',
  summary: 'Get a subscription',
  description: 'With all of its headers, values of credentials as `[REDACTED]`, and never with its signing secret.',
  scope: 'events:read',
  role: 'member',
  request: { params: subscriptionParams },
  response: { 200: subscriptionSchema },
  read: async (tx, { params: { subscriptionId } }) =>
    presentSubscription(existing(await getSubscription(tx, subscriptionId), 'subscription')),
});
