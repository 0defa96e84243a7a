import type { PlatformEventType } from '../../../domain/events/event-types.ts';
import type { JsonObject } from '../../../domain/json.ts';

const AT = '2026-11-22T09:00:00.125+00:00';
const SHOWN_AT = '2026-11-22T09:00:00.125Z';
const ENVIRONMENT = '01936b1e-5f5c-7cc2-9f3f-0f5b7f2d9a11';
const actor = { type: 'api_key', id: 'key_1', memberId: 'usr_1' };
const shownActor = { type: 'api_key', id: 'key_1' };

/** The snapshot of a row as its trigger makes it, as far as payloads read it, and the payload that is made of it. */
type Example = readonly [snapshot: JsonObject, payload: JsonObject];

const action: Example = [
  { id: 'act_1', name: 'refund', current_version_id: 'ver_2', version: 2, description: 'Refunds.', archived_at: null },
  { actionId: 'act_1', name: 'refund', versionId: 'ver_2', version: 2 },
];

const effect: Example = [
  {
    id: 'eff_1',
    invocation_id: 'inv_1',
    action_name: 'refund',
    stage: 'settled',
    outcome: 'succeeded',
    outcome_source: 'provider_response',
    grade: 'acknowledged',
    verification: 'unverified',
    partial_effect: 'none',
    provider_reference: 're_1',
    reconcile_attempts: 3,
    resolved_by: actor,
  },
  {
    effectId: 'eff_1',
    invocationId: 'inv_1',
    action: 'refund',
    outcome: 'succeeded',
    outcomeSource: 'provider_response',
    grade: 'acknowledged',
    verification: 'unverified',
    partialEffect: 'none',
    providerReference: 're_1',
  },
];

const approvalOf = (status: string, decidedAt: string | null): Example => [
  {
    id: 'apr_1',
    kind: 'invocation',
    invocation_id: 'inv_1',
    effect_id: 'eff_1',
    preview_id: null,
    action_id: 'act_1',
    action_name: 'refund',
    title: 'Refund 12 dollars',
    status,
    binding_digest: 'sha256:00',
    quorum: 1,
    requested_by: actor,
    expires_at: AT,
    decided_at: decidedAt,
  },
  {
    approvalId: 'apr_1',
    kind: 'invocation',
    title: 'Refund 12 dollars',
    status,
    invocationId: 'inv_1',
    effectId: 'eff_1',
    previewId: null,
    action: 'refund',
    bindingDigest: 'sha256:00',
    quorum: 1,
    requestedBy: shownActor,
    expiresAt: SHOWN_AT,
    decidedAt: decidedAt === null ? null : SHOWN_AT,
  },
];

const messageOf = (responseStatus: number | null, errorMessage: string | null): Example => [
  {
    id: 'msg_1',
    kind: 'message',
    url: 'https://shop.example/hooks',
    method: 'POST',
    label: null,
    attempts: 6,
    response_status: responseStatus,
    error_message: errorMessage,
    schedule_id: 'sch_1',
    url_group_id: null,
    callback_of: null,
    retry_of: null,
  },
  {
    messageId: 'msg_1',
    url: 'https://shop.example/hooks',
    method: 'POST',
    label: null,
    attempts: 6,
    responseStatus,
    errorMessage,
    scheduleId: 'sch_1',
    urlGroupId: null,
    callbackOf: null,
    retryOf: null,
  },
];

const limit: Example = [
  { limit_id: 'lim_1', limit_name: 'Refunds', period: '2026-11', used: 600, cap: 1_000, environment_id: ENVIRONMENT },
  { impactLimitId: 'lim_1', name: 'Refunds', period: '2026-11', used: 600, cap: 1_000 },
];

const budgetOf = (capName: string, cap: string): Example => [
  { api_key_id: 'key_1', month: '2026-11-01', cap_name: capName, threshold: null, taken: 4_000, cap: 5_000 },
  { apiKeyId: 'key_1', month: '2026-11', cap, taken: 4_000, capMicrocents: 5_000 },
];

const withMembers = ([snapshot, payload]: Example, columns: JsonObject, members: JsonObject): Example => [
  { ...snapshot, ...columns },
  { ...payload, ...members },
];

export const EXAMPLES: Record<PlatformEventType, Example> = {
  'action.created': action,
  'action.updated': action,
  'action.archived': action,
  'invocation.settled': [
    {
      id: 'inv_1',
      effect_id: 'eff_1',
      action_id: 'act_1',
      action_name: 'refund',
      status: 'refused',
      grade: 'refused',
      outcome_source: 'system',
      refusal_code: 'policy_denied',
      agent_id: null,
      run_id: 'run_1',
    },
    {
      invocationId: 'inv_1',
      effectId: 'eff_1',
      actionId: 'act_1',
      action: 'refund',
      status: 'refused',
      grade: 'refused',
      outcomeSource: 'system',
      refusalCode: 'policy_denied',
      agentId: null,
      runId: 'run_1',
    },
  ],
  'effect.settled': effect,
  'effect.unknown': withMembers(effect, { outcome: 'unknown' }, { outcome: 'unknown' }),
  'effect.exhausted': withMembers(effect, { outcome: 'unknown' }, { outcome: 'unknown', reads: 3 }),
  'effect.resolved': withMembers(effect, {}, { resolvedBy: shownActor }),
  'approval.requested': approvalOf('pending', null),
  'approval.decided': approvalOf('approved', AT),
  'approval.expired': approvalOf('expired', AT),
  'impact_limit.threshold': withMembers(limit, { threshold: 50, requested: null }, { threshold: 50 }),
  'impact_limit.exceeded': withMembers(limit, { threshold: null, requested: 600 }, { requested: 600 }),
  'budget.threshold': withMembers(budgetOf('cache_lookups', 'cacheLookups'), { threshold: 80 }, { threshold: 80 }),
  'budget.exceeded': budgetOf('total', 'total'),
  'usage.threshold': [
    {
      workspace_id: ENVIRONMENT,
      month: '2026-11-01',
      meter: 'executions',
      threshold: 80,
      used: 800,
      allowed: 1_000,
      currency: null,
    },
    {
      workspaceId: ENVIRONMENT,
      month: '2026-11',
      meter: 'executions',
      threshold: 80,
      used: 800,
      limit: 1_000,
      currency: null,
    },
  ],
  'message.delivered': messageOf(200, null),
  'message.failed': messageOf(null, 'connection refused'),
  'schedule.failed': [
    {
      schedule_id: 'sch_1',
      schedule_name: null,
      trigger: 'schedule',
      nominal_at: AT,
      error_code: 'CATCH_UP_PASSED',
      error_message: 'It was missed.',
      slots: 2,
    },
    {
      scheduleId: 'sch_1',
      name: null,
      trigger: 'schedule',
      nominalAt: SHOWN_AT,
      errorCode: 'CATCH_UP_PASSED',
      errorMessage: 'It was missed. Slots missed: 2.',
    },
  ],
  'environment.halted': [
    { id: ENVIRONMENT, name: 'Production', halted_at: AT, halted_reason: 'an incident', halted_by: actor },
    {
      environmentId: ENVIRONMENT,
      name: 'Production',
      haltedAt: SHOWN_AT,
      reason: 'an incident',
      haltedBy: shownActor,
    },
  ],
  'environment.resumed': [
    { id: ENVIRONMENT, name: 'Production', halted_at: null, was_halted_at: AT },
    { environmentId: ENVIRONMENT, name: 'Production', haltedAt: SHOWN_AT },
  ],
  'database.recovered': [
    { recovery: 'open', reason: 'timeline', timeline: 2, first_seen: AT, invocations: 3 },
    { recovery: 'open', reason: 'timeline', timeline: 2, firstSeen: SHOWN_AT, invocations: 3 },
  ],
  'secret.rotated': [
    { id: 'sec_1', name: 'TOKEN', current_version: 2, rotated_at: AT },
    { secretId: 'sec_1', name: 'TOKEN', version: 2 },
  ],
  'subscription.disabled': [
    { id: 'sub_1', topic_id: 'top_1', topic_name: 'orders', url: 'https://shop.example', failing_since: AT },
    {
      subscriptionId: 'sub_1',
      topicId: 'top_1',
      topic: 'orders',
      url: 'https://shop.example',
      failingSince: SHOWN_AT,
    },
  ],
};
