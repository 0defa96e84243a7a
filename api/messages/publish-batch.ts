import { z } from 'zod';
import { acceptMessages } from '../../db/messages/accept/accept-messages.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { validatePart } from '../http/validate-request.ts';
import { batchBody, publishBody, type PublishBody } from './body-schemas.ts';
import { publisherOf } from './publisher.ts';
import { batchResultSchema } from './schemas.ts';
import { startDeliveries } from './start-deliveries.ts';

type BatchResult = z.input<typeof batchResultSchema>;

export const publishBatchRoute = defineRoute({
  id: 'messages.batch',
  method: 'POST',
  path: '/api/v2/messages/batch',
  summary: 'Publish up to 1,000 messages',
  description:
    'Answers one result for each message, in order: as publish answers, or `error`. One that is not valid does not fail the ' +
    'rest; those that are valid are accepted together. Halted environments answer 503 as publish does.',
  scope: 'messages:write',
  request: { body: batchBody },
  response: { 200: z.array(batchResultSchema) },
  errors: ['SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  // It parses what the schema says, as the machinery does for a body.
  prepare: ({ body }) => Promise.resolve(body.messages.map(readItem)),
  async change(tx, { caller, actor, deps }, items) {
    const drafts = items.flatMap((item) => (item instanceof ServiceError ? [] : [{ request: item }]));
    const published = await acceptMessages(tx, deps.vault, publisherOf(caller, actor), drafts, items.length);
    const results = published.values();
    const data = items.map((item): BatchResult => {
      if (item instanceof ServiceError) return { error: errorOf(item) };
      const result = results.next();
      if (result.done === true) throw new Error('a message was accepted without a result');
      return result.value;
    });
    return {
      reply: { status: 200, data },
      audit: 'none: a message is a record of its own, which names its publisher',
      after: () => startDeliveries(deps, caller, published),
    };
  },
});

function readItem(item: unknown): PublishBody | ServiceError {
  try {
    // It parses what the schema says, as the machinery does for a body.
    return validatePart('body', publishBody, item) as PublishBody;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function errorOf(error: ServiceError): Extract<BatchResult, { error: unknown }>['error'] {
  const { code, publicMessage: message, details } = error;
  return details === undefined ? { code, message } : { code, message, details: JSON.parse(JSON.stringify(details)) };
}
