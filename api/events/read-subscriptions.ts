import { z } from 'zod';
import { listSubscriptions } from '../../db/events/subscriptions.ts';
import { requireTopic } from '../../db/events/topics.ts';
import { defineRoute } from '../http/define-route.ts';
import { listedSubscriptionSchema, presentListedSubscription, topicParams } from './schemas.ts';

export const listSubscriptionsRoute = defineRoute({
  id: 'events.subscriptions.list',
  method: 'GET',
  path: '/api/v2/events/topics/{ref}/subscriptions',
  summary: "List a topic's subscriptions, newest first",
  description: 'A subscription with large headers shows their beginning. A PATCH without members answers it whole.',
  scope: 'events:read',
  role: 'member',
  request: { params: topicParams },
  response: { 200: z.array(listedSubscriptionSchema) },
  errors: ['NOT_FOUND'],
  async list(tx, { params: { ref }, page }) {
    const { id: topicId } = await requireTopic(tx, ref);
    const { items, total } = await listSubscriptions(tx, { topicId, ...page });
    return { items: items.map(presentListedSubscription), total };
  },
});
