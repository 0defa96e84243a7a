import { z } from 'zod';
import { actor, actorColumn, count, dateTime, payload, text, time, version } from './payload.ts';

export const action = payload(
  z.strictObject({ actionId: text, name: text, versionId: text, version }).meta({ id: 'ActionEventData' }),
  z.object({ id: text, name: text, current_version_id: text, version }),
  (row) => ({ actionId: row.id, name: row.name, versionId: row.current_version_id, version: row.version }),
);

const invocationStatus = z.enum(['succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled']);
export const invocation = payload(
  z
    .strictObject({
      invocationId: text,
      effectId: text.nullable(),
      actionId: text,
      action: text,
      status: invocationStatus,
      grade: text,
      outcomeSource: text.nullable(),
      refusalCode: text.nullable(),
      agentId: text.nullable(),
      runId: text.nullable(),
    })
    .meta({ id: 'InvocationEventData' }),
  z.object({
    id: text,
    effect_id: text.nullable(),
    action_id: text,
    action_name: text,
    status: invocationStatus,
    grade: text,
    outcome_source: text.nullable(),
    refusal_code: text.nullable(),
    agent_id: text.nullable(),
    run_id: text.nullable(),
  }),
  (row) => ({
    invocationId: row.id,
    effectId: row.effect_id,
    actionId: row.action_id,
    action: row.action_name,
    status: row.status,
    grade: row.grade,
    outcomeSource: row.outcome_source,
    refusalCode: row.refusal_code,
    agentId: row.agent_id,
    runId: row.run_id,
  }),
);

const outcome = z.enum(['pending', 'succeeded', 'failed', 'unknown']);
const partialEffect = z.enum(['none', 'possible', 'confirmed']);
const effectData = z
  .strictObject({
    effectId: text,
    invocationId: text,
    action: text,
    outcome,
    outcomeSource: text.nullable(),
    grade: text,
    verification: text,
    partialEffect,
    providerReference: text.nullable(),
  })
  .meta({ id: 'EffectEventData' });
const effectRow = z.object({
  id: text,
  invocation_id: text,
  action_name: text,
  outcome,
  outcome_source: text.nullable(),
  grade: text,
  verification: text,
  partial_effect: partialEffect,
  provider_reference: text.nullable(),
});
const effectOf = (row: z.output<typeof effectRow>): z.input<typeof effectData> => ({
  effectId: row.id,
  invocationId: row.invocation_id,
  action: row.action_name,
  outcome: row.outcome,
  outcomeSource: row.outcome_source,
  grade: row.grade,
  verification: row.verification,
  partialEffect: row.partial_effect,
  providerReference: row.provider_reference,
});
export const effect = payload(effectData, effectRow, effectOf);
export const exhaustedEffect = payload(
  effectData.extend({ reads: count }),
  effectRow.extend({ reconcile_attempts: count }),
  (row) => ({ ...effectOf(row), reads: row.reconcile_attempts }),
);
export const resolvedEffect = payload(
  effectData.extend({ resolvedBy: actor }),
  effectRow.extend({ resolved_by: actorColumn }),
  (row) => ({ ...effectOf(row), resolvedBy: row.resolved_by }),
);

const approvalKind = z.enum(['invocation', 'free_standing']);
const approvalStatus = z.enum(['pending', 'approved', 'denied', 'expired']);
export const approval = payload(
  z
    .strictObject({
      approvalId: text,
      kind: approvalKind,
      title: text,
      status: approvalStatus,
      invocationId: text.nullable(),
      effectId: text.nullable(),
      previewId: text.nullable(),
      action: text.nullable(),
      bindingDigest: text,
      quorum: version,
      requestedBy: actor,
      expiresAt: dateTime,
      decidedAt: dateTime.nullable(),
    })
    .meta({ id: 'ApprovalEventData' }),
  z.object({
    id: text,
    kind: approvalKind,
    title: text,
    status: approvalStatus,
    invocation_id: text.nullable(),
    effect_id: text.nullable(),
    preview_id: text.nullable(),
    action_name: text.nullable(),
    binding_digest: text,
    quorum: version,
    requested_by: actorColumn,
    expires_at: time,
    decided_at: time.nullable(),
  }),
  (row) => ({
    approvalId: row.id,
    kind: row.kind,
    title: row.title,
    status: row.status,
    invocationId: row.invocation_id,
    effectId: row.effect_id,
    previewId: row.preview_id,
    action: row.action_name,
    bindingDigest: row.binding_digest,
    quorum: row.quorum,
    requestedBy: row.requested_by,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
  }),
);

export const message = payload(
  z
    .strictObject({
      messageId: text,
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
    })
    .meta({ id: 'MessageEventData' }),
  z.object({
    id: text,
    url: text,
    method: text,
    label: text.nullable(),
    attempts: count,
    response_status: z.int().nullable(),
    error_message: text.nullable(),
    schedule_id: text.nullable(),
    url_group_id: text.nullable(),
    callback_of: text.nullable(),
    retry_of: text.nullable(),
  }),
  (row) => ({
    messageId: row.id,
    url: row.url,
    method: row.method,
    label: row.label,
    attempts: row.attempts,
    responseStatus: row.response_status,
    errorMessage: row.error_message,
    scheduleId: row.schedule_id,
    urlGroupId: row.url_group_id,
    callbackOf: row.callback_of,
    retryOf: row.retry_of,
  }),
);
