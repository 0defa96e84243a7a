import { z } from 'zod';
import type { InvocationRecord, ListedInvocationRecord } from '../../db/invocations/records.ts';
import { GRADES, INVOCATION_STATUSES } from '../../domain/lifecycle.ts';
import { anyJson, filterInstant, orShortened } from '../http/common-fields.ts';
import {
  AGENT_ID_CHARACTERS_MAX,
  idOf,
  OPERATION_KEY_CHARACTERS_MAX,
  requestMembers,
} from '../actions/request-members.ts';
import { waitSeconds } from '../http/long-poll.ts';
import { type Accepted, UNDER_WAY_RETRY_AFTER_SECONDS } from '../http/route-forms.ts';
import { presentRefusal, refusalSchema } from './refusal.ts';

export const actorSchema = z
  .strictObject({
    type: z.string(),
    id: z.string().nullable(),
    clientId: z.string().optional().describe('The app through which a user asked, where one did.'),
  })
  .meta({ id: 'Actor', description: 'Who did it.' });

// The reference shows members in this order.
const { input, operationKey, ...others } = requestMembers;

export const invokeBody = z
  .strictObject({
    input,
    operationKey,
    previewId: idOf('preview')
      .optional()
      .describe('Executes this preview: its exact request, or nothing. What differs from it is `PREVIEW_MISMATCH`.'),
    ...others,
    dryRun: z
      .boolean()
      .optional()
      .describe(
        'True: nothing is sent, reserved or recorded. The answer is a `DryRun`, for plain actions too: what would be sent and what would be decided. ' +
          'It leaves its Idempotency-Key unused, for the invocation itself.',
      ),
  })
  .meta({ id: 'InvokeRequest' });

export const invocationSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(INVOCATION_STATUSES),
    grade: z.enum(GRADES).describe('What is really known. Treat a grade you do not know as `unknown`.'),
    action: z.strictObject({ id: z.string(), name: z.string() }),
    versionId: z.string(),
    effectId: z.string().nullable().describe('For a governed action only.'),
    approvalId: z.string().nullable(),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('Until when people can decide its approval; null unless it waits for one.'),
    operationKey: z.string(),
    result: z
      .strictObject({
        status: z.int(),
        headers: z.record(z.string(), z.string()),
        body: anyJson,
        bodyEncoding: z.enum(['json', 'utf8', 'base64']),
      })
      .nullable()
      .describe('The response of the destination, credentials removed.'),
    error: z.string().nullable(),
    refusal: refusalSchema
      .nullable()
      .describe('Why it was not carried out, failed, or is unknown; null under any other status.'),
    nextStep: z.string().nullable().describe('One sentence that an agent can follow. Null: nothing is left to do.'),
    requestedBy: actorSchema,
    retryOf: z.string().nullable(),
    runId: z.string().nullable(),
    agentId: z.string().nullable(),
    requestId: z
      .string()
      .nullable()
      .describe('The `X-Request-Id` of the request that was admitted, as the log has it.'),
    createdAt: z.iso.datetime(),
    settledAt: z.iso.datetime().nullable(),
    resolution: z.record(z.string(), anyJson).nullable(),
  })
  .meta({ id: 'Invocation' });

export const listedInvocationSchema = invocationSchema
  .extend({ result: orShortened(invocationSchema.shape.result) })
  .meta({ id: 'ListedInvocation' });

export const invocationParams = z.strictObject({ id: z.string().min(1).max(100) });

export const getInvocationQuery = z.strictObject({
  wait: waitSeconds('the invocation to end, or to become unknown'),
});

/** People rarely decide sooner. */
const PARKED_RETRY_AFTER_SECONDS = 30;

export function acceptedInvocation({ id, status }: z.input<typeof invocationSchema>): Accepted {
  const retryAfterSeconds = status === 'pending_approval' ? PARKED_RETRY_AFTER_SECONDS : UNDER_WAY_RETRY_AFTER_SECONDS;
  return { location: `/api/v2/actions/invocations/${id}`, retryAfterSeconds };
}

export const listOfActionQuery = z.strictObject({
  status: z.enum(INVOCATION_STATUSES).optional(),
  grade: z.enum(GRADES).optional(),
  operationKey: z.string().min(1).max(OPERATION_KEY_CHARACTERS_MAX).optional(),
  agentId: z.string().min(1).max(AGENT_ID_CHARACTERS_MAX).optional(),
  runId: idOf('run').optional(),
  from: filterInstant.optional().describe('Created at this time or later.'),
  to: filterInstant.optional().describe('Created before this time.'),
});

export const listInvocationsQuery = listOfActionQuery.extend({
  action: z.string().min(1).max(100).optional().describe('Id or name of the action.'),
});

export function presentInvocation(record: InvocationRecord): z.input<typeof invocationSchema> {
  return {
    id: record.id,
    status: record.status,
    grade: record.grade,
    action: { id: record.actionId, name: record.actionName },
    versionId: record.versionId,
    effectId: record.effectId,
    approvalId: record.approvalId,
    expiresAt: record.expiresAt?.toISOString() ?? null,
    operationKey: record.operationKey,
    result: record.result,
    error: record.error,
    ...presentRefusal(record),
    requestedBy: record.requestedBy,
    retryOf: record.retryOf,
    runId: record.runId,
    agentId: record.agentId,
    requestId: record.requestId,
    createdAt: record.createdAt.toISOString(),
    settledAt: record.settledAt?.toISOString() ?? null,
    resolution: record.resolution,
  };
}

export function presentListedInvocation(record: ListedInvocationRecord): z.input<typeof listedInvocationSchema> {
  return { ...presentInvocation({ ...record, result: null }), result: record.result };
}
