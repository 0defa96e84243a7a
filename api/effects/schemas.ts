import { z } from 'zod';
import { type EffectDetail, LISTED_RECORDS_MAX, type ListedEffect } from '../../db/effects/queries.ts';
import type { ReservationRecord } from '../../db/impact-limits/records.ts';
import type { AttemptRecord, EvidenceRecord } from '../../db/effects/records.ts';
import { EXPOSURES, RESERVATION_STATES } from '../../domain/impact-limits/limits.ts';
import {
  ATTEMPT_KINDS,
  ATTEMPT_STATUSES,
  EVIDENCE_SOURCES,
  GRADES,
  OUTCOMES,
  PARTIAL_EFFECTS,
  RECEIPT_ENTRY_KINDS,
  STAGES,
  VERIFICATIONS,
} from '../../domain/lifecycle.ts';
import { impactQuantitySchema } from '../../domain/impact.ts';
import { anyJson } from '../http/common-fields.ts';
import { type Accepted, UNDER_WAY_RETRY_AFTER_SECONDS } from '../http/route-forms.ts';
import { recordedRefusalSchema } from '../invocations/refusal.ts';
import { actorSchema } from '../invocations/schemas.ts';
import { listedPreviewSchema, presentListedPreview, presentPreview, previewSchema } from '../previews/schemas.ts';

/** Every field of a receipt is always present; null means no value (docs/versioning.md). */
const jsonObject = z.record(z.string(), anyJson);
const dateTime = z.iso.datetime();

const receiptEntrySchema = z
  .strictObject({
    sequence: z.int().min(1).describe('Its place in the chain of the effect, from 1.'),
    kind: z.enum(RECEIPT_ENTRY_KINDS),
    previousHash: z.string().nullable().describe('The hash of the entry before; null: it is the first.'),
    hash: z
      .string()
      .describe('SHA-256 over what is recorded and the entry before; docs/receipts.md says over which bytes.'),
  })
  .meta({ id: 'ReceiptEntry' });
const chain = z.array(receiptEntrySchema).describe('Its entries in the chain of the effect.');

const attemptSchema = z
  .strictObject({
    number: z.int(),
    kind: z.enum(ATTEMPT_KINDS),
    status: z.enum(ATTEMPT_STATUSES),
    observedOutcome: z.string().nullable(),
    error: z.string().nullable(),
    startedAt: dateTime,
    finishedAt: dateTime.nullable(),
    id: z.string(),
    claimedAt: dateTime.nullable().describe('From this moment on something may have been sent.'),
    refusal: recordedRefusalSchema.nullable(),
    responseDigest: z.string().nullable().describe('SHA-256 over the response.'),
    secretVersions: z
      .record(z.string(), z.int())
      .nullable()
      .describe('The versions that its secrets had when it was marked.'),
    lateAnswer: z
      .strictObject({
        observedOutcome: z.string(),
        error: z.string().nullable(),
        responseDigest: z.string().nullable(),
        recordedAt: dateTime,
      })
      .nullable()
      .describe('What came after the attempt had been given up.'),
    chain,
  })
  .meta({ id: 'Attempt' });

const evidenceSchema = z
  .strictObject({
    id: z.string(),
    source: z.enum(EVIDENCE_SOURCES),
    observedAt: dateTime,
    impliedOutcome: z.string().nullable(),
    providerIds: z.record(z.string(), z.string()),
    summary: z.string(),
    details: jsonObject,
    actor: actorSchema,
    recordedAt: dateTime,
    chain,
  })
  .meta({ id: 'Evidence' });

const reservationSchema = z
  .strictObject({
    limitId: z.string(),
    name: z.string(),
    dimension: z.string(),
    currency: z.string().nullable(),
    period: z.string(),
    amount: z.int(),
    state: z.enum(RESERVATION_STATES),
    exposure: z.enum(EXPOSURES).nullable(),
    settled: z.int(),
    released: z.int(),
    createdAt: dateTime,
    finishedAt: dateTime.nullable(),
  })
  .meta({ id: 'Reservation' });

export const effectSchema = z
  .strictObject({
    id: z.string(),
    invocationId: z.string(),
    operationKey: z.string(),
    environmentId: z.uuid(),
    action: z.strictObject({ name: z.string(), versionId: z.string() }),
    adapter: z.strictObject({ type: z.string(), version: z.string() }),
    stage: z.enum(STAGES),
    outcome: z.enum(OUTCOMES),
    partialEffect: z.enum(PARTIAL_EFFECTS).describe('A failure is not proof of zero impact.'),
    grade: z.enum(GRADES).describe('Derived by the database. Treat a grade you do not know as `unknown`.'),
    verification: z.enum(VERIFICATIONS),
    providerReference: z.string().nullable(),
    target: jsonObject,
    impact: z.array(impactQuantitySchema),
    previewId: z.string().nullable(),
    approvalId: z.string().nullable(),
    bindingDigest: z.string().nullable(),
    dependsOn: z.array(z.strictObject({ effectId: z.string(), outcome: z.string() })),
    compensates: z.string().nullable(),
    rejectionReason: z.string().nullable(),
    unresolvedExposure: z.boolean(),
    reconciliation: z.strictObject({ attempts: z.int().min(0), nextAt: dateTime.nullable(), exhausted: z.boolean() }),
    createdAt: dateTime,
    updatedAt: dateTime,
    firstDispatchedAt: dateTime.nullable(),
    outcomeAt: dateTime.nullable(),
    request: jsonObject.describe('The exact request; credentials stand as `{{secret:NAME}}`.'),
    capabilities: jsonObject,
    attempts: z.array(attemptSchema),
    evidence: z.array(evidenceSchema),
    reservations: z.array(reservationSchema),
    preview: previewSchema.nullable().describe('What was agreed to, where it is bound to a preview.'),
    resolution: jsonObject.nullable().describe('What a person recorded of an outcome that nobody saw. Permanent.'),
  })
  .meta({ id: 'EffectDetail' });

/** A large `request`, `target` or evidence `details` is replaced by `Shortened`. */
export const listedEffectSchema = effectSchema
  .extend({
    preview: listedPreviewSchema.nullable(),
    attempts: effectSchema.shape.attempts.max(LISTED_RECORDS_MAX).describe('The newest twenty.'),
    attemptsCount: z.int().min(0).describe('How many attempts there are.'),
    evidence: effectSchema.shape.evidence.max(LISTED_RECORDS_MAX).describe('The newest twenty.'),
    evidenceCount: z.int().min(0).describe('How much evidence there is.'),
  })
  .meta({ id: 'ListedEffectDetail' });

export const receiptCheckSchema = z
  .strictObject({
    valid: z.boolean(),
    entries: z.int().min(0),
    checked: z
      .strictObject({ evidence: z.int().min(0), attempts: z.int().min(0), resolutions: z.int().min(0) })
      .describe('How many of each are what was hashed.'),
    head: z
      .strictObject({ sequence: z.int(), hash: z.string().nullable() })
      .nullable()
      .describe('The end of the chain. Keep it elsewhere: a chain that is rewritten as a whole has another one.'),
    brokenAt: z
      .strictObject({
        sequence: z.int().nullable(),
        problem: z
          .enum(['content', 'link', 'end', 'unchained'])
          .describe(
            '`content`: the record is not what was hashed, or is gone. `link`: the entry does not follow from the one before. ' +
              '`end`: the chain ends early, or late. `unchained`: the record has no entry.',
          ),
        kind: z.enum(RECEIPT_ENTRY_KINDS).nullable(),
        recordId: z.string().nullable(),
      })
      .nullable()
      .describe('Where the chain breaks first.'),
  })
  .meta({ id: 'ReceiptCheck' });

export const EFFECT_ID_CHARACTERS_MAX = 100;
export const NOTE_CHARACTERS_MIN = 3;
export const NOTE_CHARACTERS_MAX = 2_000;

export const effectParams = z.strictObject({ id: z.string().min(1).max(EFFECT_ID_CHARACTERS_MAX) });
export const noteBody = z.strictObject({ note: z.string().min(NOTE_CHARACTERS_MIN).max(NOTE_CHARACTERS_MAX) });
export const listEffectsQuery = z.strictObject({
  grade: z.enum(GRADES).optional(),
  stage: z.enum(STAGES).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  action: z.string().min(1).max(100).optional().describe('Name of the action.'),
});

export function acceptedEffect({ id }: { id: string }): Accepted {
  return { location: `/api/v2/actions/effects/${id}`, retryAfterSeconds: UNDER_WAY_RETRY_AFTER_SECONDS };
}

export function presentEffect(effect: EffectDetail): z.input<typeof effectSchema> {
  return { ...presentRest(effect), preview: effect.preview && presentPreview(effect.preview) };
}

export function presentListedEffect(effect: ListedEffect): z.input<typeof listedEffectSchema> {
  const { attemptsCount, evidenceCount } = effect;
  const preview = effect.preview && presentListedPreview(effect.preview);
  return { ...presentRest(effect), attemptsCount, evidenceCount, preview };
}

function presentRest(effect: Omit<EffectDetail, 'preview'>): Omit<z.input<typeof effectSchema>, 'preview'> {
  return {
    id: effect.id,
    invocationId: effect.invocationId,
    operationKey: effect.operationKey,
    environmentId: effect.environmentId,
    action: { name: effect.actionName, versionId: effect.versionId },
    adapter: { type: effect.adapterType, version: effect.adapterVersion },
    stage: effect.stage,
    outcome: effect.outcome,
    partialEffect: effect.partialEffect,
    grade: effect.grade,
    verification: effect.verification,
    providerReference: effect.providerReference,
    target: effect.target,
    impact: effect.impact,
    previewId: effect.previewId,
    approvalId: effect.approvalId,
    bindingDigest: effect.bindingDigest,
    dependsOn: effect.dependsOn,
    compensates: effect.compensates,
    rejectionReason: effect.rejectionReason,
    unresolvedExposure: effect.unresolvedExposure,
    reconciliation: {
      attempts: effect.reconcileAttempts,
      nextAt: effect.reconcileNextAt?.toISOString() ?? null,
      exhausted: effect.reconcileExhausted,
    },
    createdAt: effect.createdAt.toISOString(),
    updatedAt: effect.updatedAt.toISOString(),
    firstDispatchedAt: effect.firstDispatchedAt?.toISOString() ?? null,
    outcomeAt: effect.outcomeAt?.toISOString() ?? null,
    request: effect.request,
    capabilities: effect.capabilities,
    attempts: effect.attempts.map(presentAttempt),
    evidence: effect.evidence.map(presentEvidence),
    reservations: effect.reservations.map(presentReservation),
    resolution: effect.resolution,
  };
}

function presentReservation(reservation: ReservationRecord): z.input<typeof reservationSchema> {
  const { id: _id, effectId: _effectId, createdAt, finishedAt, ...shown } = reservation;
  return { ...shown, createdAt: createdAt.toISOString(), finishedAt: finishedAt?.toISOString() ?? null };
}

function presentAttempt(attempt: AttemptRecord): z.input<typeof attemptSchema> {
  return {
    number: attempt.number,
    kind: attempt.kind,
    status: attempt.status,
    observedOutcome: attempt.observedOutcome,
    error: attempt.error,
    startedAt: attempt.startedAt.toISOString(),
    finishedAt: attempt.finishedAt?.toISOString() ?? null,
    id: attempt.id,
    claimedAt: attempt.claimedAt?.toISOString() ?? null,
    refusal: attempt.refusal && { ...attempt.refusal },
    responseDigest: attempt.responseDigest,
    secretVersions: attempt.secretVersions,
    lateAnswer: attempt.lateAnswer,
    chain: attempt.chain,
  };
}

function presentEvidence(evidence: EvidenceRecord): z.input<typeof evidenceSchema> {
  return {
    id: evidence.id,
    source: evidence.source,
    observedAt: evidence.observedAt.toISOString(),
    impliedOutcome: evidence.impliedOutcome,
    providerIds: evidence.providerIds,
    summary: evidence.summary,
    details: evidence.details,
    actor: { type: evidence.actorType, id: evidence.actorId },
    recordedAt: evidence.recordedAt.toISOString(),
    chain: evidence.chain,
  };
}
