import type { InvocationStatus } from './lifecycle.ts';
import { findOut, named, type RefusalDetails, type RefusedFacts, resolvePath } from './refusal-facts.ts';

/** The statuses under which an invocation carries a refusal. */
export const REFUSED_STATUSES = [
  'refused',
  'denied',
  'expired',
  'cancelled',
  'failed',
  'unknown',
] as const satisfies readonly InvocationStatus[];
export type RefusedStatus = (typeof REFUSED_STATUSES)[number];

interface RefusalEntry {
  statuses: readonly [RefusedStatus, ...RefusedStatus[]];
  meaning: string;
  /** The members of `details` that may be there. */
  details: readonly (keyof RefusalDetails)[];
  /** One sentence that an agent can follow. */
  nextStep: (facts: RefusedFacts) => string;
}

/** What a next step says where the same may be asked for again. */
export const AGAIN = 'invoke again under a new operationKey';

/** Why an invocation failed or is unknown. Code and details are recorded; the sentences are derived. */
export const REFUSAL_TABLE = {
  digest_mismatch: {
    statuses: ['refused'],
    meaning: 'What would be sent is no longer what was previewed or agreed to.',
    details: ['previewId', 'approvalId'],
    nextStep: () => `Make a new preview, look at what it shows, and ${AGAIN} with its previewId.`,
  },
  action_version_changed: {
    statuses: ['refused'],
    meaning: 'The action has a newer version than the one that was asked for.',
    details: ['versionId', 'currentVersionId'],
    nextStep: () => `Read the action, fit the input to its current version, and ${AGAIN}.`,
  },
  action_disabled: {
    statuses: ['refused'],
    meaning: 'The action is archived.',
    details: [],
    nextStep: () => 'Choose a live action from GET /api/v2/actions; this one takes no invocation any more.',
  },
  preview_expired: {
    statuses: ['refused'],
    meaning: 'The preview expired before anything was sent.',
    details: ['previewId', 'expiresAt'],
    nextStep: () => `Make a new preview and ${AGAIN} with its previewId before it expires.`,
  },
  precondition_changed: {
    statuses: ['refused'],
    meaning: "The provider's record or a secret changed after the preview, or the record could not be read.",
    details: ['previewId', 'secrets'],
    nextStep: () => `Make a new preview, check that the action is still wanted, and ${AGAIN} with its previewId.`,
  },
  policy_denied: {
    statuses: ['refused'],
    meaning: 'A rule of an approval policy denies it.',
    details: ['policyId', 'ruleId'],
    nextStep: () =>
      `Do not send the same again: change the input so that the policy allows it, or ask a person to change the policy.`,
  },
  policy_evaluation_error: {
    statuses: ['refused'],
    meaning: 'A rule of an approval policy could not be evaluated, which denies.',
    details: ['policyId', 'ruleId'],
    nextStep: ({ details }) => `Ask a person to mend ${named('policy', details.policyId)}, then ${AGAIN}.`,
  },
  approval_denied: {
    statuses: ['denied'],
    meaning: 'A person denied the approval.',
    details: ['approvalId'],
    nextStep: () => 'Do not ask for the same again: read the reason in error, and change the request or give it up.',
  },
  approval_expired: {
    statuses: ['expired'],
    meaning: 'Nobody decided the approval in time.',
    details: ['approvalId', 'expiresAt'],
    nextStep: () => `Ask a person whether they will decide in time, then ${AGAIN}.`,
  },
  approval_cancelled: {
    statuses: ['cancelled'],
    meaning: 'The invocation was cancelled while it waited for its approval.',
    details: ['approvalId'],
    nextStep: () => `Find out who cancelled it and why; if it is still wanted, ${AGAIN}.`,
  },
  invocation_cancelled: {
    statuses: ['cancelled'],
    meaning: 'The invocation was cancelled while it waited for other effects.',
    details: ['effectId'],
    nextStep: () => `Find out who cancelled it and why; if it is still wanted, ${AGAIN}.`,
  },
  approval_invalidated: {
    statuses: ['refused'],
    meaning: 'An approval was given and no longer suffices: an approver left, or the policies became stricter.',
    details: ['approvalId'],
    nextStep: () => `Where it is still wanted, ${AGAIN}: a new approval is then asked for under the policies of today.`,
  },
  impact_limit_exceeded: {
    statuses: ['refused'],
    meaning: 'An impact limit has less left than the action needs.',
    details: ['limitId', 'limitIds', 'available', 'requested', 'resumeAt'],
    nextStep: ({ details: { limitId, resumeAt } }) =>
      resumeAt === undefined
        ? `Ask for less, or ask a person to raise ${named('impact limit', limitId)}, then ${AGAIN}.`
        : `Wait until ${resumeAt}, ask for less, or ask a person to raise ${named('impact limit', limitId)}, then ${AGAIN}.`,
  },
  impact_unbounded: {
    statuses: ['refused'],
    meaning: 'The impact of the action cannot be told from its input or its target.',
    details: ['issues'],
    nextStep: ({ details: { issues } }) =>
      issues === undefined
        ? `Ask a person to look at the action's impact and its target, then ${AGAIN}.`
        : `Mend the input at ${issues.map(({ path }) => path).join(', ')}, and ${AGAIN}.`,
  },
  currency_mismatch: {
    statuses: ['refused'],
    meaning: 'The money is in another currency than the limits or the action count.',
    details: ['limitId', 'currency'],
    nextStep: () => `Use the currency that is counted, or ask a person to make a limit for this one, then ${AGAIN}.`,
  },
  secret_missing: {
    statuses: ['refused'],
    meaning: 'A secret that the action needs is not in the vault of the environment, or does not fit where it is used.',
    details: ['secrets'],
    nextStep: ({ details: { secrets } }) =>
      `Ask a person to put ${secrets === undefined ? "the action's secret" : secrets.join(', ')} into the vault of this environment, then ${AGAIN}.`,
  },
  attachment_changed: {
    statuses: ['refused'],
    meaning: 'A file that the request carries is gone, or has another content than the one that was bound.',
    details: ['fileId'],
    nextStep: () => `Upload the file again, name the new one in the input, and ${AGAIN}.`,
  },
  mode_mismatch: {
    statuses: ['refused'],
    meaning: 'The action, its credential and its target are not all of the same mode, live or test.',
    details: [],
    nextStep: () => `Use a target of the action's mode, or ask a person to mend its credential, then ${AGAIN}.`,
  },
  recipient_not_allowed: {
    statuses: ['refused'],
    meaning: 'The action may not send to this recipient, or from this sender.',
    details: ['issues'],
    nextStep: () => `Change the recipient or the sender to one that the action allows, and ${AGAIN}.`,
  },
  environment_halted: {
    statuses: ['refused'],
    meaning: 'The environment is halted.',
    details: [],
    nextStep: () => `Stop, and ask a person to resume the environment; ${AGAIN} after that.`,
  },
  destination_blocked: {
    statuses: ['refused'],
    meaning: 'The action may not call this destination.',
    details: ['host'],
    nextStep: () =>
      'Use a destination that the action allows, or ask a person to change the action; the same again is refused again.',
  },
  dependency_unsettled: {
    statuses: ['refused'],
    meaning: 'An effect that it depends on did not succeed, or not in time.',
    details: ['effectId'],
    nextStep: ({ details: { effectId } }) =>
      `Read GET /api/v2/actions/effects/${effectId ?? '{id}'}; once what it depends on has succeeded, ${AGAIN}.`,
  },
  operation_in_flight: {
    statuses: ['refused'],
    meaning: 'Another invocation of the same operation is under way.',
    details: ['effectId'],
    nextStep: () => 'Wait for the invocation that is under way and use its result.',
  },
  requester_revoked: {
    statuses: ['refused'],
    meaning: 'The key or the member who asked for it lost their access while it waited.',
    details: ['keyId'],
    nextStep: () => 'Ask a person for a new credential; what was asked with the old one is not carried out.',
  },
  provider_rejected: {
    statuses: ['failed'],
    meaning: 'The provider answered that it rejects the request.',
    details: [],
    nextStep: ({ invocationId }) =>
      `Read the provider's answer in result, mend the input, and ${AGAIN} with retryOf ${invocationId}.`,
  },
  provider_reports_failure: {
    statuses: ['failed'],
    meaning: "The provider's own record, read back, says that it failed.",
    details: [],
    nextStep: ({ invocationId }) =>
      `Read the reason in error, mend the input, and ${AGAIN} with retryOf ${invocationId}.`,
  },
  absent_at_provider: {
    statuses: ['failed'],
    meaning: 'The provider has no record of it, which proves that it did not happen.',
    details: [],
    nextStep: ({ invocationId }) => `It did not happen: if it is still wanted, ${AGAIN} with retryOf ${invocationId}.`,
  },
  reversed_by_provider: {
    statuses: ['failed'],
    meaning: 'It had succeeded, and the provider reversed it later.',
    details: [],
    nextStep: ({ invocationId }) =>
      `Tell a person that the provider reversed it; if it is still wanted, ${AGAIN} with retryOf ${invocationId}.`,
  },
  not_sent: {
    statuses: ['failed'],
    meaning: 'No byte of the request left: no connection to the destination was made.',
    details: [],
    nextStep: ({ invocationId }) =>
      `Nothing was sent: ${AGAIN} with retryOf ${invocationId} in a minute, and tell a person if that fails too.`,
  },
  not_taken_up: {
    statuses: ['failed'],
    meaning: 'Nothing was sent: no worker was free for it in time, or the one that took it was lost before it sent it.',
    details: [],
    nextStep: ({ invocationId }) =>
      `Nothing was sent: ${AGAIN} with retryOf ${invocationId} later, and tell a person if that fails too.`,
  },
  resolved_as_failed: {
    statuses: ['failed'],
    meaning: 'Its outcome was unknown, and a person recorded that it failed.',
    details: [],
    nextStep: ({ invocationId }) =>
      `Read what the person found in resolution; if it is still wanted, ${AGAIN} with retryOf ${invocationId}.`,
  },
  no_usable_answer: {
    statuses: ['unknown'],
    meaning: 'The request was sent, and no answer came that says what became of it.',
    details: [],
    nextStep: findOut,
  },
  worker_lost: {
    statuses: ['unknown'],
    meaning: 'The worker was lost while the call was under way.',
    details: [],
    nextStep: findOut,
  },
  database_recovered: {
    statuses: ['unknown'],
    meaning: 'The database failed over or was restored, and may have lost that the request was sent.',
    details: [],
    nextStep: findOut,
  },
  replay_unanswered: {
    statuses: ['unknown'],
    meaning: 'The first request failed, and a replay of it has no answer yet.',
    details: [],
    nextStep: findOut,
  },
  ambiguous_at_provider: {
    statuses: ['unknown'],
    meaning: 'A read found more than one record at the provider.',
    details: [],
    nextStep: (facts) =>
      `Do not run it again: ask a person to look at the provider's records and to record the outcome at POST ${resolvePath(facts)}.`,
  },
} as const satisfies Record<string, RefusalEntry>;

export type RefusalCode = keyof typeof REFUSAL_TABLE;
export const REFUSAL_CODES = Object.keys(REFUSAL_TABLE) as [RefusalCode, ...RefusalCode[]];

export interface Refusal {
  code: RefusalCode;
  message: string;
  details?: RefusalDetails;
}

export function refusalEntry(code: RefusalCode): RefusalEntry {
  return REFUSAL_TABLE[code];
}

/** How an invocation ends that its judgement keeps from being sent. */
export function statusOfRefusal(code: RefusalCode): 'refused' | 'cancelled' {
  return refusalEntry(code).statuses[0] === 'cancelled' ? 'cancelled' : 'refused';
}

/** The `error` string of a refused or cancelled invocation, in the form that callers parse (docs/reference/refusals.md). */
export function refusalText(refusal: Pick<Refusal, 'code' | 'message'>): string {
  return `${prefixOf(refusal.code)}${refusal.message}`;
}

/** The sentence within an `error`, for the refusal that it belongs to. */
export function refusalMessage(code: RefusalCode, error: string | null): string {
  const prefix = prefixOf(code);
  if (error === null) return REFUSAL_TABLE[code].meaning;
  return error.startsWith(prefix) ? error.slice(prefix.length) : error;
}

function prefixOf(code: RefusalCode): string {
  return statusOfRefusal(code) === 'cancelled' ? '' : `dispatch refused (${code}): `;
}
