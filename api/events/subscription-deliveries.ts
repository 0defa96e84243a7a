import { z } from 'zod';
import { findTarget } from '../../db/events/fan-out.ts';
import { listSubscriptionAttempts } from '../../db/events/deliveries.ts';
import { publishTestEvent } from '../../db/events/publish-test-event.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { publisherOf } from '../messages/publisher.ts';
import {
  attemptsQuery,
  presentSubscriptionAttempt,
  subscriptionAttemptSchema,
  testedSchema,
} from './delivery-schemas.ts';
import { subscriptionParams } from './schemas.ts';

export const testSubscriptionRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.test',
  method: 'POST',
  path: '/api/v2/events/subscriptions/{subscriptionId}/test',
  summary: 'Send a test event to a subscription',
  description:
    'An event of type `subscription.test`, delivered like any other, to this subscription alone: signed, with its headers and with ' +
    'retries. Its patterns do not matter, and it may be disabled. 409 where its sealed headers do not open: give them anew first.',
  scope: 'events:write',
  role: 'admin',
  request: { params: subscriptionParams },
  response: { 201: testedSchema },
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  quotaStatus: 402,
  idempotent: true,
  async change(tx, { params: { subscriptionId }, caller, actor, deps }) {
    const target = existing(await findTarget(tx, subscriptionId), 'subscription');
    const { eventId, message } = await publishTestEvent(tx, deps.resealing, publisherOf(caller, actor), target);
    const { messageId, status } = message;
    return {
      reply: { status: 201, data: { eventId, messageId, status } },
      audit: 'none: an event is a record of its own, which names its publisher',
    };
  },
});

export const listSubscriptionAttemptsRoute = defineRoute({
  of: 'environment',
  id: 'events.subscriptions.attempts.list',
  method: 'GET',
  path: '/api/v2/events/subscriptions/{subscriptionId}/attempts',
  summary: "List a subscription's attempts, newest first",
  description: 'Attempts go with the content of their messages (docs/retention.md).',
  scope: 'events:read',
  role: 'member',
  request: { params: subscriptionParams, query: attemptsQuery },
  response: { 200: z.array(subscriptionAttemptSchema) },
  async list(tx, { params: { subscriptionId }, query: { status: outcome, ...times }, page }) {
    if ((await findTarget(tx, subscriptionId)) === null) throw notFound('subscription');
    return presented(
      await listSubscriptionAttempts(tx, { subscriptionId, outcome, ...times, ...page }),
      presentSubscriptionAttempt,
    );
  },
});
