import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { defineRoute } from '../http/define-route.ts';
import { publishMessageBody } from './body-schemas.ts';
import { publish } from './publish.ts';
import { isToTopic, publishToTopic } from './publish-to-topic.ts';
import { publishResultSchema } from './schemas.ts';

export const publishMessageRoute = defineRoute({
  of: 'environment',
  id: 'messages.publish',
  method: 'POST',
  path: '/api/v2/messages/publish',
  summary: 'Publish a message',
  description:
    'Accepts one HTTP request to be delivered, now or later, at least once, with retries. 201: accepted. 200 with ' +
    '`deduplicated: true`: an earlier message within 10 minutes is this one. To a `urlGroup` one message for each endpoint is ' +
    'accepted, all or none, and the answer is an array; 200 only where each was there already. To a `topic` an event is published, and the answer names it. While the environment is halted the answer is 503, ' +
    'unless the key holds `messages:ingest`: then the message is kept and delivered after the resumption.',
  scope: 'messages:write',
  request: { body: publishMessageBody },
  response: { 200: publishResultSchema, 201: publishResultSchema },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  change: (tx, { body, ...ctx }) => (isToTopic(body) ? publishToTopic(tx, ctx, body) : publish(tx, ctx, body)),
});
