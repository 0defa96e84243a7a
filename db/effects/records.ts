import type { AdapterCapabilities, ImpactQuantity } from '../../domain/actions.ts';
import type { PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type {
  AttemptKind,
  AttemptStatus,
  EvidenceSource,
  Grade,
  Outcome,
  PartialEffect,
  ReceiptEntryKind,
  Stage,
  Verification,
} from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { ActorRecord } from '../invocations/records.ts';
import { withShortened } from '../columns.ts';

export interface EffectRecord {
  id: string;
  invocationId: string;
  operationKey: string;
  environmentId: string;
  actionName: string;
  versionId: string;
  adapterType: string;
  adapterVersion: string;
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
  grade: Grade;
  verification: Verification;
  providerReference: string | null;
  target: JsonObject;
  impact: ImpactQuantity[];
  previewId: string | null;
  approvalId: string | null;
  bindingDigest: string | null;
  compensates: string | null;
  rejectionReason: string | null;
  unresolvedExposure: boolean;
  reconcileAttempts: number;
  reconcileNextAt: Date | null;
  reconcileExhausted: boolean;
  createdAt: Date;
  updatedAt: Date;
  firstDispatchedAt: Date | null;
  outcomeAt: Date | null;
  request: JsonObject;
  capabilities: JsonObject;
}

export const EFFECT_COLUMNS = `
  e.id, e.invocation_id AS "invocationId", e.operation_key AS "operationKey", e.environment_id AS "environmentId",
  e.action_name AS "actionName", e.version_id AS "versionId", e.adapter_type AS "adapterType",
  e.adapter_version AS "adapterVersion", e.stage, e.outcome, e.partial_effect AS "partialEffect", e.grade, e.verification,
  e.provider_reference AS "providerReference", e.target, e.impact, e.preview_id AS "previewId", e.approval_id AS "approvalId",
  e.binding_digest AS "bindingDigest", e.compensates, e.rejection_reason AS "rejectionReason",
  EXISTS (SELECT FROM impact_reservations r WHERE r.effect_id = e.id AND r.state = 'reserved') AS "unresolvedExposure", e.reconcile_attempts AS "reconcileAttempts",
  e.reconcile_next_at AS "reconcileNextAt", e.reconcile_exhausted AS "reconcileExhausted", e.created_at AS "createdAt",
  e.updated_at AS "updatedAt", e.first_dispatched_at AS "firstDispatchedAt", e.outcome_at AS "outcomeAt", e.request, e.capabilities`;

/** For lists: a large request or target is shortened and remains a JSON object. */
export const LISTED_EFFECT_COLUMNS = withShortened(EFFECT_COLUMNS, 'e', ['target', 'request']);

/** An entry of the effect's receipt. Its hash covers the record and the entry before. */
export interface ReceiptEntry {
  sequence: number;
  kind: ReceiptEntryKind;
  previousHash: string | null;
  hash: string;
}

export interface EvidenceRecord {
  id: string;
  source: EvidenceSource;
  observedAt: Date;
  impliedOutcome: Outcome | null;
  providerIds: Record<string, string>;
  summary: string;
  details: JsonObject;
  actorType: string;
  actorId: string | null;
  recordedAt: Date;
  chain: ReceiptEntry[];
}

/** An answer that came after its attempt was abandoned. */
export interface LateAnswerRecord {
  observedOutcome: Outcome;
  error: string | null;
  responseDigest: string | null;
  recordedAt: string;
}

export interface AttemptRecord {
  id: string;
  number: number;
  kind: AttemptKind;
  status: AttemptStatus;
  observedOutcome: Outcome | null;
  refusal: Refusal | null;
  error: string | null;
  /** SHA-256 of the response. The response itself is in the invocation's record, where it settled the invocation. */
  responseDigest: string | null;
  secretVersions: Record<string, number> | null;
  startedAt: Date;
  claimedAt: Date | null;
  finishedAt: Date | null;
  lateAnswer: LateAnswerRecord | null;
  chain: ReceiptEntry[];
}

export interface NewEffect {
  id: string;
  invocationId: string;
  operationKey: string;
  actionName: string;
  versionId: string;
  adapterType: string;
  adapterVersion: string;
  capabilities: AdapterCapabilities;
  target: JsonObject;
  request: PreparedRequest;
  requestDigest: string;
  impact: ImpactQuantity[];
  stage: 'ready' | 'awaiting_approval';
  previewId: string | null;
  /** The binding digest of its preview; null where it has none. */
  bindingDigest: string | null;
  approvalId: string | null;
}

/** What the row of a new effect has beside its stage, and the values of `newEffectBindings`. */
export const NEW_EFFECT = {
  columns: `id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type, adapter_version, capabilities, target,
         request, request_digest, impact, preview_id, binding_digest, approval_id, compensates`,
  values: `:id, current_environment_id(), :invocationId, :operationKey, :actionName, :versionId, :adapterType, :adapterVersion, :capabilities,
         :target, :request, :requestDigest, :impact, :previewId, :bindingDigest, :approvalId, (SELECT compensates FROM invocations WHERE id = :invocationId)`,
};

export function newEffectBindings(effect: NewEffect): Omit<
  NewEffect,
  'capabilities' | 'target' | 'request' | 'impact'
> & {
  capabilities: string;
  target: string;
  request: string;
  impact: string;
} {
  return {
    ...effect,
    capabilities: JSON.stringify(effect.capabilities),
    target: JSON.stringify(effect.target),
    request: JSON.stringify(effect.request),
    impact: JSON.stringify(effect.impact),
  };
}

export interface NewEvidence {
  effectId: string;
  source: EvidenceSource;
  observedAt: Date;
  impliedOutcome: Outcome | null;
  providerIds?: Record<string, string>;
  summary: string;
  details?: JsonObject;
  actor: ActorRecord;
}
