import { z } from 'zod';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { validatePart } from '../http/validate-request.ts';
import { acceptMessages } from './accept-messages.ts';
import { batchBody, publishBody, type PublishBody } from './body-schemas.ts';
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
  async handler({ body, caller, actor, deps, recordReply }) {
    const items = body.messages.map(readItem);
    const valid = items.flatMap((item) => (item instanceof ServiceError ? [] : [item]));
    const { reply, published } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const accepted = await acceptMessages(tx, deps.vault, { caller, actor }, valid, items.length);
      const results = accepted.values();
      const data = items.map((item): BatchResult => {
        if (item instanceof ServiceError) return { error: errorOf(item) };
        const result = results.next();
        if (result.done === true) throw new Error('a message was accepted without a result');
        return result.value;
      });
      return { reply: await recordReply(tx, { status: 200, data }), published: accepted };
    });
    await startDeliveries(deps, caller, published);
    return reply;
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
