import { acceptMessages } from '../../db/messages/accept/accept-messages.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { defineRoute } from '../http/define-route.ts';
import { publishBody } from './body-schemas.ts';
import { publisherOf } from './publisher.ts';
import { publishedSchema } from './schemas.ts';
import { startDeliveries } from './start-deliveries.ts';

export const publishMessageRoute = defineRoute({
  id: 'messages.publish',
  method: 'POST',
  path: '/api/v2/messages/publish',
  summary: 'Publish a message',
  description:
    'Accepts one HTTP request to be delivered, now or later, at least once, with retries. 201: accepted. 200 with ' +
    '`deduplicated: true`: an earlier message within 10 minutes is this one. While the environment is halted the answer is 503, ' +
    'unless the key holds `messages:ingest`: then the message is kept and delivered after the resumption.',
  scope: 'messages:write',
  request: { body: publishBody },
  response: { 200: publishedSchema, 201: publishedSchema },
  errors: ['SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  async change(tx, { body, caller, actor, deps }) {
    const [published] = await acceptMessages(tx, deps.vault, publisherOf(caller, actor), [{ request: body }]);
    if (published === undefined) throw new Error('a message was accepted without a result');
    return {
      reply: { status: published.deduplicated ? 200 : 201, data: published },
      audit: 'none: a message is a record of its own, which names its publisher',
      after: () => startDeliveries(deps, caller, [published]),
    };
  },
});
