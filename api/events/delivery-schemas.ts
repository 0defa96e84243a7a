import { z } from 'zod';
import type { JobRecord } from '../../db/dead-letters/jobs.ts';
import { ATTEMPT_OUTCOMES, type SubscriptionAttemptRecord } from '../../db/events/deliveries.ts';
import { MESSAGE_STATUSES } from '../../domain/messages/messages.ts';
import { filterInstant, nearestInstant } from '../http/common-fields.ts';
import { presentProgress, progressShape } from '../dead-letters/schemas.ts';
import { subscriptionParams } from './schemas.ts';

const dateTime = z.iso.datetime();

export const recoveryParams = subscriptionParams.extend({
  recoveryId: z.string().min(1).max(100).describe('Id of the recovery, `rcv_…`.'),
});

export const testedSchema = z
  .strictObject({
    eventId: z.string().regex(/^evt_/).describe('The test event.'),
    messageId: z.string().regex(/^msg_/).describe('Its delivery: `GET /messages/{messageId}` says what became of it.'),
    status: z.enum(MESSAGE_STATUSES),
  })
  .meta({ id: 'SubscriptionTest' });

export const attemptsQuery = z.strictObject({
  status: z.enum(ATTEMPT_OUTCOMES).optional(),
  startDate: filterInstant.optional().describe('Attempts that began after.'),
  endDate: filterInstant.optional().describe('Attempts that began before.'),
});

export const subscriptionAttemptSchema = z
  .strictObject({
    messageId: z
      .string()
      .regex(/^msg_/)
      .describe('The delivery. `GET /messages/{messageId}/attempts` shows the responses.'),
    eventId: z.string().nullable().describe('What the delivery carries as `id`. Null: the event is kept no longer.'),
    eventType: z.string().nullable(),
    number: z.int().min(1).describe('Which attempt of the delivery, from 1.'),
    status: z.enum(ATTEMPT_OUTCOMES).describe('`failed`: it is retried, unless the delivery has failed for good.'),
    startedAt: dateTime,
    finishedAt: dateTime.nullable(),
    latencyMs: z.int().min(0).nullable(),
    responseStatus: z.int().min(100).max(599).nullable(),
    errorMessage: z.string().nullable(),
  })
  .meta({ id: 'SubscriptionAttempt' });

export function presentSubscriptionAttempt(
  attempt: SubscriptionAttemptRecord,
): z.input<typeof subscriptionAttemptSchema> {
  const { outcome: status, error: errorMessage, startedAt, finishedAt, ...rest } = attempt;
  return {
    ...rest,
    status,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    errorMessage,
  };
}

export const recoverBody = z
  .strictObject({
    since: nearestInstant.describe('Deliveries that failed for good from this moment on, until the request.'),
  })
  .meta({ id: 'RecoverSubscriptionRequest' });

export const recoverySchema = z
  .strictObject({
    id: z.string().regex(/^rcv_/),
    subscriptionId: z.string().regex(/^sub_/),
    since: dateTime,
    ...progressShape,
    done: progressShape.done.describe('Deliveries that were published again.'),
    failed: progressShape.failed.describe('Deliveries whose event is kept no longer.'),
  })
  .meta({ id: 'SubscriptionRecovery' });

export function presentRecovery(job: JobRecord<'recover'>): z.input<typeof recoverySchema> {
  const { subscriptionId: of, filter } = job;
  if (of === null || filter.startDate === undefined) throw new Error(`recovery ${job.id} is of no subscription`);
  return { ...presentProgress(job), subscriptionId: of, since: new Date(filter.startDate).toISOString() };
}
