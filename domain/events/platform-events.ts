import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { ALLOWANCES } from '../plans.ts';
import { isInternalEventType, type PlatformEventType, type RaisedEventType } from './event-types.ts';
import { actor, actorColumn, count, dateTime, month, payload, type Payload, text, time, version } from './payload.ts';
import { action, approval, effect, exhaustedEffect, invocation, message, resolvedEffect } from './payloads.ts';

/**
 * The one declaration of platform events: when each type is raised, and what its `data` holds. The `webhooks` of the OpenAPI document and
 * docs/reference/events.md are made of it. Tests check the table of docs/events.md against it, and every event that is raised. The triggers
 * that leave them in the outbox: db/migrations/platform-events.ts.
 */
export interface PlatformEventDeclaration extends Payload {
  /** Completes "Raised when …". */
  raisedWhen: string;
}

const limitData = z.strictObject({ impactLimitId: text, name: text, period: text, used: count, cap: count });
const limitRow = z.object({ limit_id: text, limit_name: text, period: text, used: count, cap: count });
const limitOf = (row: z.output<typeof limitRow>): z.input<typeof limitData> => ({
  impactLimitId: row.limit_id,
  name: row.limit_name,
  period: row.period,
  used: row.used,
  cap: row.cap,
});
const percent = z.int().min(1).max(100);
const limitThreshold = payload(
  limitData.extend({ threshold: percent }),
  limitRow.extend({ threshold: percent }),
  (row) => ({ ...limitOf(row), threshold: row.threshold }),
);
const limitExceeded = payload(limitData.extend({ requested: count }), limitRow.extend({ requested: count }), (row) => ({
  ...limitOf(row),
  requested: row.requested,
}));

const monthText = z.string().regex(/^\d{4}-\d{2}$/);
const CAPS = {
  total: 'total',
  messages: 'messages',
  events: 'events',
  cache_lookups: 'cacheLookups',
  memory_operations: 'memoryOperations',
  invocations: 'invocations',
} as const;
const budgetData = z.strictObject({
  apiKeyId: text,
  month: monthText,
  cap: z.enum(Object.values(CAPS)),
  taken: count,
  capMicrocents: count,
});
const budgetRow = z.object({
  api_key_id: text,
  month,
  cap_name: z.enum(Object.keys(CAPS) as (keyof typeof CAPS)[]),
  taken: count,
  cap: count,
});
const budgetOf = (row: z.output<typeof budgetRow>): z.input<typeof budgetData> => ({
  apiKeyId: row.api_key_id,
  month: row.month,
  cap: CAPS[row.cap_name],
  taken: row.taken,
  capMicrocents: row.cap,
});
const budgetExceeded = payload(budgetData, budgetRow, budgetOf);
const budgetThreshold = payload(
  budgetData.extend({ threshold: percent }),
  budgetRow.extend({ threshold: percent }),
  (row) => ({ ...budgetOf(row), threshold: row.threshold }),
);

const meter = z.enum([...ALLOWANCES, 'spend']);
const usage = payload(
  z.strictObject({
    workspaceId: z.uuid(),
    month: monthText,
    meter,
    threshold: z.int().min(1).max(1_000),
    used: count,
    limit: count,
    currency: z
      .string()
      .regex(/^[a-z]{3}$/)
      .nullable(),
  }),
  z.object({
    workspace_id: text,
    month,
    meter,
    threshold: count,
    used: count,
    allowed: count,
    currency: text.nullable(),
  }),
  ({ workspace_id: workspaceId, allowed: limit, ...row }) => ({
    workspaceId,
    month: row.month,
    meter: row.meter,
    threshold: row.threshold,
    used: row.used,
    limit,
    currency: row.currency,
  }),
);

const trigger = z.enum(['schedule', 'manual']);
const schedule = payload(
  z.strictObject({
    scheduleId: text,
    name: text.nullable(),
    trigger,
    nominalAt: dateTime,
    errorCode: text,
    errorMessage: text,
  }),
  z.object({
    schedule_id: text,
    schedule_name: text.nullable(),
    trigger,
    nominal_at: time,
    error_code: text,
    error_message: text,
    slots: count,
  }),
  (row) => ({
    scheduleId: row.schedule_id,
    name: row.schedule_name,
    trigger: row.trigger,
    nominalAt: row.nominal_at,
    errorCode: row.error_code,
    errorMessage: row.slots > 1 ? `${row.error_message} Slots missed: ${row.slots}.` : row.error_message,
  }),
);

const environmentData = z.strictObject({ environmentId: z.uuid(), name: text, haltedAt: dateTime });
const halted = payload(
  environmentData.extend({ reason: text, haltedBy: actor }),
  z.object({ id: text, name: text, halted_at: time, halted_reason: text, halted_by: actorColumn }),
  (row) => ({
    environmentId: row.id,
    name: row.name,
    haltedAt: row.halted_at,
    reason: row.halted_reason,
    haltedBy: row.halted_by,
  }),
);
const resumed = payload(environmentData, z.object({ id: text, name: text, was_halted_at: time }), (row) => ({
  environmentId: row.id,
  name: row.name,
  haltedAt: row.was_halted_at,
}));

const secret = payload(
  z.strictObject({ secretId: text, name: text, version }),
  z.object({ id: text, name: text, current_version: version }),
  (row) => ({ secretId: row.id, name: row.name, version: row.current_version }),
);

const subscription = payload(
  z.strictObject({ subscriptionId: text, topicId: text, topic: text, url: text, failingSince: dateTime }),
  z.object({ id: text, topic_id: text, topic_name: text, url: text, failing_since: time }),
  (row) => ({
    subscriptionId: row.id,
    topicId: row.topic_id,
    topic: row.topic_name,
    url: row.url,
    failingSince: row.failing_since,
  }),
);

export const PLATFORM_EVENTS: Record<PlatformEventType, PlatformEventDeclaration> = {
  'action.created': { raisedWhen: 'an action is created, by itself or by an import', ...action },
  'action.updated': { raisedWhen: 'the name, the description or the definition of an action changes', ...action },
  'action.archived': { raisedWhen: 'an action is archived', ...action },
  'invocation.settled': {
    raisedWhen: 'an invocation ends, and again where the provider reverses a success',
    ...invocation,
  },
  'effect.settled': {
    raisedWhen: 'the outcome of an effect becomes known, and again where the provider reverses a success',
    ...effect,
  },
  'effect.unknown': { raisedWhen: 'nobody knows whether a dispatched effect happened', ...effect },
  'effect.exhausted': {
    raisedWhen: 'the scheduled reads of an effect have ended without an answer: a person must resolve it',
    ...exhaustedEffect,
  },
  'effect.resolved': {
    raisedWhen: 'a person resolves an effect, beside `effect.settled`',
    ...resolvedEffect,
  },
  'approval.requested': { raisedWhen: 'an approval is opened', ...approval },
  'approval.decided': { raisedWhen: 'an approval is approved or denied for good', ...approval },
  'approval.expired': { raisedWhen: 'nobody has decided an approval in time', ...approval },
  'impact_limit.threshold': {
    raisedWhen: 'the use of an impact limit reaches one of its thresholds, once in each period',
    ...limitThreshold,
  },
  'impact_limit.exceeded': {
    raisedWhen: 'an effect is refused because it would exceed an impact limit, once in each period',
    ...limitExceeded,
  },
  'budget.threshold': {
    raisedWhen: 'an API key has taken 80 % of a cap of its budget, once in each month and cap',
    ...budgetThreshold,
  },
  'budget.exceeded': {
    raisedWhen: 'an operation is refused by the budget of an API key, once in each month and cap',
    ...budgetExceeded,
  },
  'usage.threshold': {
    raisedWhen:
      'a workspace has used 80 or 100 % of an allowance, or a threshold of its alert target, once in each month',
    ...usage,
  },
  'message.delivered': {
    raisedWhen: 'a message is delivered. Deliveries of events, and alerts, raise none',
    ...message,
  },
  'message.failed': {
    raisedWhen: 'a message has failed for good and is a dead letter. Deliveries of events, and alerts, raise none',
    ...message,
  },
  'schedule.failed': {
    raisedWhen: 'a firing of a schedule publishes nothing because of an error, or slots of it were missed',
    ...schedule,
  },
  'environment.halted': {
    raisedWhen: 'an environment is halted',
    ...halted,
  },
  'environment.resumed': { raisedWhen: 'a halted environment is resumed', ...resumed },
  'secret.rotated': {
    raisedWhen: 'a secret gets a new value',
    ...secret,
  },
  'subscription.disabled': {
    raisedWhen: 'the service disables a subscription that kept failing',
    ...subscription,
  },
};

/**
 * What an event of the outbox says: of a platform event its public payload, of an internal one what TypeScript raised.
 *
 * @throws {Error} where the snapshot is of no type, or lacks a column
 */
export function payloadOf(type: RaisedEventType, snapshot: JsonObject): JsonObject {
  if (!isInternalEventType(type)) return PLATFORM_EVENTS[type].of(snapshot) as JsonObject;
  const { to_channels: toChannels, ...data } = snapshot;
  return toChannels === undefined ? data : { ...data, toChannels };
}
