/** The words of an effect's life, as in the database's constraints. No imports: workflows read it. */
export const STAGES = ['awaiting_approval', 'ready', 'dispatching', 'reconciling', 'settled', 'rejected'] as const;
export type Stage = (typeof STAGES)[number];

export const OUTCOMES = ['not_dispatched', 'pending', 'succeeded', 'failed', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const GRADES = ['confirmed', 'acknowledged', 'unknown', 'failed', 'refused', 'denied', 'pending'] as const;
export type Grade = (typeof GRADES)[number];

export const PARTIAL_EFFECTS = ['none', 'possible', 'confirmed'] as const;
export type PartialEffect = (typeof PARTIAL_EFFECTS)[number];

export const VERIFICATIONS = ['provider', 'manual', 'unverified', 'not_dispatched'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export const INVOCATION_STATUSES = [
  'pending_approval',
  'queued',
  'dispatching',
  'succeeded',
  'failed',
  'unknown',
  'refused',
  'denied',
  'expired',
  'cancelled',
] as const;
export type InvocationStatus = (typeof INVOCATION_STATUSES)[number];

/** Statuses that wait for news from outside. Under the others a workflow runs or must be started. */
export const RESTING_STATUSES: readonly InvocationStatus[] = INVOCATION_STATUSES.filter(
  (status) => status !== 'queued' && status !== 'dispatching',
);

/** The facts that decide whether an invocation is at rest. */
export interface Progress {
  status: InvocationStatus;
  stage: Stage | null;
  awaitsDependencies: boolean;
}

/** Nothing more happens without news from outside: also while it waits for other effects, or is read back. */
export function isAtRest({ status, stage, awaitsDependencies }: Progress): boolean {
  return RESTING_STATUSES.includes(status) || stage === 'reconciling' || (status === 'queued' && awaitsDependencies);
}

/** Its end is still to come, whether it is at rest or not: a reply about it is 202. */
export function isOpen(status: InvocationStatus): boolean {
  return status === 'pending_approval' || !RESTING_STATUSES.includes(status);
}

/** How it ended is known. A provider may still reverse a success, where its adapter declares that. */
export function hasEnded(status: InvocationStatus): boolean {
  return !isOpen(status) && status !== 'unknown';
}

/** The source of the outcome. `provider_lookup` is the provider's own record, read back. */
export const OUTCOME_SOURCES = ['system', 'provider_response', 'provider_lookup', 'manual_resolution'] as const;
export type OutcomeSource = (typeof OUTCOME_SOURCES)[number];

export const ATTEMPT_KINDS = ['dispatch', 'replay', 'reconcile'] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

export const ATTEMPT_STATUSES = ['started', 'completed', 'abandoned'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** The kinds of entry in an effect's chain. */
export const RECEIPT_ENTRY_KINDS = [
  'evidence',
  'attempt_started',
  'attempt_claimed',
  'attempt_ended',
  'late_answer',
  'resolution',
] as const;
export type ReceiptEntryKind = (typeof RECEIPT_ENTRY_KINDS)[number];

export const EVIDENCE_SOURCES = [
  'preview',
  'provider_response',
  'provider_lookup',
  'system',
  'operator_note',
  'manual_resolution',
] as const;
export type EvidenceSource = (typeof EVIDENCE_SOURCES)[number];
