import type { AnyRoute } from '../http/define-route.ts';
import { deleteSubscriptionRoute, rotateSecretRoute, updateSubscriptionRoute } from './change-subscriptions.ts';
import { createSubscriptionRoute } from './create-subscription.ts';
import { eventDeliveryRoutes } from './delivery-routes.ts';
import { publishEventRoute } from './publish-event.ts';
import { getEventRoute, listEventsRoute } from './read-events.ts';
import { getSubscriptionRoute, listSubscriptionsRoute } from './read-subscriptions.ts';
import { createTopicRoute, deleteTopicRoute, getTopicRoute, listTopicsRoute, updateTopicRoute } from './topics.ts';

export const eventRoutes: AnyRoute[] = [
  publishEventRoute,
  listEventsRoute,
  getEventRoute,
  listTopicsRoute,
  createTopicRoute,
  getTopicRoute,
  updateTopicRoute,
  deleteTopicRoute,
  listSubscriptionsRoute,
  createSubscriptionRoute,
  getSubscriptionRoute,
  updateSubscriptionRoute,
  deleteSubscriptionRoute,
  rotateSecretRoute,
  ...eventDeliveryRoutes,
];
