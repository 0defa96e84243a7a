import { z } from 'zod';
import { getMessage, listAttempts, type MessageAttemptRecord } from '../../db/messages/queries.ts';
import { notFound } from '../../domain/errors.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { messageParams, textOf } from './schemas.ts';

export const attemptSchema = z
  .strictObject({
    number: z.int().min(1),
    status: z
      .enum(['started', 'completed', 'abandoned'])
      .describe('`abandoned`: the worker was lost before the end was on record; the destination may have been called.'),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    latencyMs: z
      .int()
      .min(0)
      .nullable()
      .describe('The call alone, from the look-up of the name to the end of the response.'),
    address: z.string().nullable().describe('The IP address that was dialled; null where there was no connection.'),
    responseStatus: z.int().min(100).max(599).nullable(),
    responseHeaders: z.record(z.string(), z.string()).nullable().describe('Credentials that were sent removed.'),
    responseBody: z.string().nullable().describe('At most 8 KiB of it, credentials that were sent removed.'),
    errorMessage: z.string().nullable(),
    worker: z.string().nullable().describe('The worker that made the attempt, as `pid@host`.'),
  })
  .meta({ id: 'MessageAttempt' });

export const listAttemptsRoute = defineRoute({
  of: 'environment',
  id: 'messages.attempts.list',
  method: 'GET',
  path: '/api/v2/messages/{messageId}/attempts',
  summary: "List a message's attempts, the first one first",
  description:
    'Attempts go with the content of their message: then `contentExpired` of the message is true, and this list is empty.',
  scope: 'messages:read',
  role: 'member',
  request: { params: messageParams },
  response: { 200: z.array(attemptSchema) },
  errors: ['NOT_FOUND'],
  async list(tx, { params: { messageId }, page }) {
    if ((await getMessage(tx, messageId)) === null) throw notFound('message');
    return presented(await listAttempts(tx, messageId, page), presentAttempt);
  },
});

function presentAttempt(attempt: MessageAttemptRecord): z.input<typeof attemptSchema> {
  const { error, responseBody, startedAt, finishedAt, ...rest } = attempt;
  return {
    ...rest,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    responseBody: textOf(responseBody),
    errorMessage: error,
  };
}
