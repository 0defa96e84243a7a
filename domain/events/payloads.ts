import { z } from 'zod';
import { ALLOWANCES } from '../plans.ts';
import {
  actor,
  count,
  dateTime,
  dateTimeOrNull,
  from,
  Made,
  type Members,
  month,
  payload,
  text,
  version,
} from './payload.ts';

/** The payloads of platform events, by what they are about. platform-events.ts says which event has which. */
export const action = payload(
  { actionId: from('id', text), name: text, versionId: from('current_version_id', text), version },
  'ActionEventData',
);

export const invocation = payload(
  {
    invocationId: from('id', text),
    effectId: text.nullable(),
    actionId: text,
    action: from('action_name', text),
    status: z.enum(['succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled']),
    grade: text,
    outcomeSource: text.nullable(),
    refusalCode: text.nullable(),
    agentId: text.nullable(),
    runId: text.nullable(),
  },
  'InvocationEventData',
);

const ofEffect: Members = {
  effectId: from('id', text),
  invocationId: text,
  action: from('action_name', text),
  outcome: z.enum(['pending', 'succeeded', 'failed', 'unknown']),
  outcomeSource: text.nullable(),
  grade: text,
  verification: text,
  partialEffect: z.enum(['none', 'possible', 'confirmed']),
  providerReference: text.nullable(),
};
export const effect = payload(ofEffect, 'EffectEventData');
export const exhaustedEffect = payload({ ...ofEffect, reads: from('reconcile_attempts', count) });
export const resolvedEffect = payload({ ...ofEffect, resolvedBy: actor });

export const approval = payload(
  {
    approvalId: from('id', text),
    kind: z.enum(['invocation', 'free_standing']),
    title: text,
    status: z.enum(['pending', 'approved', 'denied', 'expired']),
    invocationId: text.nullable(),
    effectId: text.nullable(),
    previewId: text.nullable(),
    action: from('action_name', text.nullable()),
    bindingDigest: text,
    quorum: version,
    requestedBy: actor,
    expiresAt: dateTime,
    decidedAt: dateTimeOrNull,
  },
  'ApprovalEventData',
);

const percent = z.int().min(1).max(100);
const ofLimit: Members = {
  impactLimitId: from('limit_id', text),
  name: from('limit_name', text),
  period: text,
  used: count,
  cap: count,
};
export const limitThreshold = payload({ ...ofLimit, threshold: percent });
export const limitExceeded = payload({ ...ofLimit, requested: count });

const CAPS = {
  total: 'total',
  messages: 'messages',
  events: 'events',
  cache_lookups: 'cacheLookups',
  memory_operations: 'memoryOperations',
  invocations: 'invocations',
} as const;
const capName = z.enum(Object.keys(CAPS) as (keyof typeof CAPS)[]).transform((name) => CAPS[name]);
const ofBudget: Members = {
  apiKeyId: text,
  month,
  cap: from('cap_name', z.enum(Object.values(CAPS)), capName),
  taken: count,
  capMicrocents: from('cap', count),
};
export const budgetExceeded = payload(ofBudget);
export const budgetThreshold = payload({ ...ofBudget, threshold: percent });

export const usage = payload({
  workspaceId: z.uuid(),
  month,
  meter: z.enum([...ALLOWANCES, 'spend']),
  threshold: z.int().min(1).max(1_000),
  used: count,
  limit: from('allowed', count),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/)
    .nullable(),
});

export const message = payload(
  {
    messageId: from('id', text),
    url: text,
    method: text,
    label: text.nullable(),
    attempts: count,
    responseStatus: z.int().nullable(),
    errorMessage: text.nullable(),
    scheduleId: text.nullable(),
    urlGroupId: text.nullable(),
    callbackOf: text.nullable(),
    retryOf: text.nullable(),
  },
  'MessageEventData',
);

/** One event reports all the slots that were missed together. */
const slots = z
  .object({ error_message: text, slots: count })
  .transform((row) => (row.slots > 1 ? `${row.error_message} Slots missed: ${row.slots}.` : row.error_message));
export const schedule = payload({
  scheduleId: text,
  name: from('schedule_name', text.nullable()),
  trigger: z.enum(['schedule', 'manual']),
  nominalAt: dateTime,
  errorCode: text,
  errorMessage: new Made(text, slots),
});

const ofEnvironment: Members = { environmentId: from('id', z.uuid()), name: text };
export const halted = payload({
  ...ofEnvironment,
  haltedAt: dateTime,
  reason: from('halted_reason', text),
  haltedBy: actor,
});
export const resumed = payload({ ...ofEnvironment, haltedAt: from('was_halted_at', dateTime) });

export const recovered = payload({
  recovery: z.enum(['open', 'note']),
  reason: z.enum(['timeline', 'system_identifier', 'log_position', 'operator']),
  timeline: version,
  firstSeen: dateTime,
  invocations: count,
});

export const secret = payload({ secretId: from('id', text), name: text, version: from('current_version', version) });

export const subscription = payload({
  subscriptionId: from('id', text),
  topicId: text,
  topic: from('topic_name', text),
  url: text,
  failingSince: dateTime,
});
