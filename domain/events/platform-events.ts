import { z } from 'zod';
import { ALLOWANCES } from '../plans.ts';
import type { PlatformEventType } from './event-types.ts';

/**
 * The one declaration of platform events: when each type is raised, and what its `data` holds. The `webhooks` of the OpenAPI document and
 * docs/reference/events.md are made of it. Tests hold the table of docs/events.md to it, and every event that is raised. The
 * triggers that raise them: db/migrations/platform-events.ts.
 */
export interface PlatformEventDeclaration {
  /** Completes "Raised when …". */
  raisedWhen: string;
  data: z.ZodObject;
}

const dateTime = z.iso.datetime();
const text = z.string();
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable();
const actor = z.strictObject({ type: text, id: orNull(text) });
const count = z.int().min(0);

const action = z
  .strictObject({ actionId: text, name: text, versionId: text, version: z.int().min(1) })
  .meta({ id: 'ActionEventData' });

const invocation = z
  .strictObject({
    invocationId: text,
    effectId: orNull(text),
    actionId: text,
    action: text,
    status: z.enum(['succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled']),
    grade: text,
    outcomeSource: orNull(text),
    refusalCode: orNull(text),
    agentId: orNull(text),
    runId: orNull(text),
  })
  .meta({ id: 'InvocationEventData' });

const effect = z
  .strictObject({
    effectId: text,
    invocationId: text,
    action: text,
    outcome: z.enum(['pending', 'succeeded', 'failed', 'unknown']),
    outcomeSource: orNull(text),
    grade: text,
    verification: text,
    partialEffect: z.enum(['none', 'possible', 'confirmed']),
    providerReference: orNull(text),
  })
  .meta({ id: 'EffectEventData' });

const approval = z
  .strictObject({
    approvalId: text,
    kind: z.enum(['invocation', 'free_standing']),
    title: text,
    status: z.enum(['pending', 'approved', 'denied', 'expired']),
    invocationId: orNull(text),
    effectId: orNull(text),
    previewId: orNull(text),
    action: orNull(text),
    bindingDigest: text,
    quorum: z.int().min(1),
    requestedBy: actor,
    expiresAt: dateTime,
    decidedAt: orNull(dateTime),
  })
  .meta({ id: 'ApprovalEventData' });

const impactLimit = z.strictObject({ impactLimitId: text, name: text, period: text, used: count, cap: count });

const budget = z.strictObject({
  apiKeyId: text,
  month: z.string().regex(/^\d{4}-\d{2}$/),
  cap: z.enum(['total', 'messages', 'events', 'cacheLookups', 'memoryOperations', 'invocations']),
  taken: count,
  capMicrocents: count,
});

const usage = z.strictObject({
  workspaceId: z.uuid(),
  month: z.string().regex(/^\d{4}-\d{2}$/),
  meter: z.enum([...ALLOWANCES, 'spend']),
  threshold: z.int().min(1).max(1_000),
  used: count,
  limit: count,
  currency: orNull(z.string().regex(/^[a-z]{3}$/)),
});

const message = z
  .strictObject({
    messageId: text,
    url: text,
    method: text,
    label: orNull(text),
    attempts: count,
    responseStatus: orNull(z.int()),
    errorMessage: orNull(text),
    scheduleId: orNull(text),
    urlGroupId: orNull(text),
    callbackOf: orNull(text),
    retryOf: orNull(text),
  })
  .meta({ id: 'MessageEventData' });

const schedule = z.strictObject({
  scheduleId: text,
  name: orNull(text),
  trigger: z.enum(['schedule', 'manual']),
  nominalAt: dateTime,
  errorCode: text,
  errorMessage: text,
});

const environment = z.strictObject({ environmentId: z.uuid(), name: text, haltedAt: dateTime });

export const PLATFORM_EVENTS: Record<PlatformEventType, PlatformEventDeclaration> = {
  'action.created': { raisedWhen: 'an action is created, by itself or by an import', data: action },
  'action.updated': { raisedWhen: 'the name, the description or the definition of an action changes', data: action },
  'action.archived': { raisedWhen: 'an action is archived', data: action },
  'invocation.settled': {
    raisedWhen: 'an invocation ends, and again where the provider reverses a success',
    data: invocation,
  },
  'effect.settled': {
    raisedWhen: 'the outcome of an effect becomes known, and again where the provider reverses a success',
    data: effect,
  },
  'effect.unknown': { raisedWhen: 'nobody knows whether a dispatched effect happened', data: effect },
  'effect.exhausted': {
    raisedWhen: 'the scheduled reads of an effect have ended without an answer: a person must resolve it',
    data: effect.extend({ reads: count }),
  },
  'effect.resolved': {
    raisedWhen: 'a person resolves an effect, beside `effect.settled`',
    data: effect.extend({ resolvedBy: actor }),
  },
  'approval.requested': { raisedWhen: 'an approval is opened', data: approval },
  'approval.decided': { raisedWhen: 'an approval is approved or denied for good', data: approval },
  'approval.expired': { raisedWhen: 'nobody has decided an approval in time', data: approval },
  'impact_limit.threshold': {
    raisedWhen: 'the use of an impact limit reaches one of its thresholds, once in each period',
    data: impactLimit.extend({ threshold: z.int().min(1).max(100) }),
  },
  'impact_limit.exceeded': {
    raisedWhen: 'an effect is refused because it would exceed an impact limit, once in each period',
    data: impactLimit.extend({ requested: count }),
  },
  'budget.threshold': {
    raisedWhen: 'an API key has taken 80 % of a cap of its budget, once in each month and cap',
    data: budget.extend({ threshold: z.int().min(1).max(100) }),
  },
  'budget.exceeded': {
    raisedWhen: 'an operation is refused by the budget of an API key, once in each month and cap',
    data: budget,
  },
  'usage.threshold': {
    raisedWhen:
      'a workspace has used 80 or 100 % of an allowance, or a threshold of its alert target, once in each month',
    data: usage,
  },
  'message.delivered': {
    raisedWhen: 'a message is delivered. Deliveries of events, and alerts, raise none',
    data: message,
  },
  'message.failed': {
    raisedWhen: 'a message has failed for good and is a dead letter. Deliveries of events, and alerts, raise none',
    data: message,
  },
  'schedule.failed': {
    raisedWhen: 'a firing of a schedule publishes nothing because of an error, or slots of it were missed',
    data: schedule,
  },
  'environment.halted': {
    raisedWhen: 'an environment is halted',
    data: environment.extend({ reason: text, haltedBy: actor }),
  },
  'environment.resumed': { raisedWhen: 'a halted environment is resumed', data: environment },
  'secret.rotated': {
    raisedWhen: 'a secret gets a new value',
    data: z.strictObject({ secretId: text, name: text, version: z.int().min(1) }),
  },
  'subscription.disabled': {
    raisedWhen: 'the service disables a subscription that kept failing',
    data: z.strictObject({
      subscriptionId: text,
      topicId: text,
      topic: text,
      url: text,
      failingSince: dateTime,
    }),
  },
};
