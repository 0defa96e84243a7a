import { z } from 'zod';
import { deleteDeadLetters, retryDeadLetter } from '../../db/dead-letters/retries.ts';
import { BUDGET_ERRORS } from '../../domain/budgets.ts';
import { existing, notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { retryOverrides } from '../messages/body-schemas.ts';
import { publisherOf } from '../messages/publisher.ts';
import { startScheduled } from '../messages/start-scheduled.ts';
import { deadLetterParams, retriedSchema } from './schemas.ts';

export const retryDeadLetterRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.retry',
  method: 'POST',
  path: '/api/v2/dlq/{messageId}/retry',
  summary: 'Send a dead letter again',
  description:
    'Makes a new message with `retryOf` and removes the record, together: of two retries at once the second answers 404. A member of ' +
    'the body takes the place of the original’s, null removes it. Sealed headers and a redacted body are kept, but go to no other ' +
    'origin than the one they were published to: name them anew there, and where they do not open (409).',
  scope: 'dlq:write',
  role: 'admin',
  request: { params: deadLetterParams, body: retryOverrides.optional() },
  response: { 201: retriedSchema },
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE', 'QUOTA_EXCEEDED', ...BUDGET_ERRORS],
  idempotent: true,
  async change(tx, { params: { messageId: retryOf }, body, caller, actor, deps }) {
    const retried = existing(
      await retryDeadLetter(tx, deps.resealing, publisherOf(caller, actor), retryOf, body ?? {}),
      'dead letter',
    );
    const { messageId, status } = retried;
    return {
      reply: { status: 201, data: { messageId, status, retryOf } },
      audit: {
        action: 'dead_letter.retried',
        target: { type: 'message', id: retryOf },
        details: { messageId, changed: Object.keys(body ?? {}) },
      },
      after: (all) => startScheduled(all, caller, [retried]),
    };
  },
});

export const deleteDeadLetterRoute = defineRoute({
  of: 'environment',
  id: 'deadLetters.delete',
  method: 'DELETE',
  path: '/api/v2/dlq/{messageId}',
  summary: 'Delete a dead letter',
  description: 'It can be retried no more. Its message stays, as `failed`.',
  scope: 'dlq:write',
  role: 'admin',
  request: { params: deadLetterParams },
  response: { 200: z.strictObject({ deleted: z.literal(true) }) },
  idempotent: true,
  async change(tx, { params: { messageId } }) {
    const deleted = await deleteDeadLetters(tx, [messageId]);
    if (deleted.length === 0) throw notFound('dead letter');
    return {
      reply: { status: 200, data: { deleted: true as const } },
      audit: { action: 'dead_letter.deleted', target: { type: 'message', id: messageId } },
    };
  },
});
