import { ServiceError } from '../../domain/errors.ts';
import { NOTES_PER_EFFECT_MAX } from '../../domain/reconciliation/notes.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getPreview } from '../previews/queries.ts';
import type { NewEvidence } from './records.ts';

/** Throws QUOTA_EXCEEDED where the effect has its maximum of operator notes. Other writers of notes wait until this transaction ends. */
export async function requireNoteRoom(tx: EnvironmentTransaction, effectId: string): Promise<void> {
  // Serialized: two requests that counted at the same time would both miss the other's note.
  await tx.raw('require_note_room', "SELECT pg_advisory_xact_lock(hashtextextended('notes/' || :effectId, 0))", {
    effectId,
  });
  const row = await tx.row<{ notes: number }>(
    'require_note_room_2',
    "SELECT count(*)::int AS notes FROM evidence WHERE effect_id = :effectId AND source = 'operator_note'",
    { effectId },
  );
  if ((row?.notes ?? 0) < NOTES_PER_EFFECT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An effect has at most ${NOTES_PER_EFFECT_MAX} notes, and notes are never removed. Keep further ones elsewhere.`,
  });
}

/** Appends to an effect's evidence; a trigger chains it by hash. Evidence is never changed or removed. */
export async function appendEvidence(tx: EnvironmentTransaction, evidence: NewEvidence): Promise<string> {
  const id = newId('evidence');
  await tx.raw(
    'append_evidence',
    `INSERT INTO evidence (id, environment_id, effect_id, source, observed_at, implied_outcome, provider_ids, summary, details,
       actor_type, actor_id)
     VALUES (:id, current_environment_id(), :effectId, :source, :observedAt, :impliedOutcome, :providerIds, :summary, :details,
       :actorType, :actorId)`,
    {
      id,
      effectId: evidence.effectId,
      source: evidence.source,
      observedAt: evidence.observedAt,
      impliedOutcome: evidence.impliedOutcome,
      providerIds: JSON.stringify(evidence.providerIds ?? {}),
      summary: evidence.summary,
      details: JSON.stringify(evidence.details ?? {}),
      actorType: evidence.actor.type,
      actorId: evidence.actor.id,
    },
  );
  return id;
}

/** The first link of a bound effect's chain: the preview that it executes, and what that preview is bound to. */
export async function appendPreviewEvidence(
  tx: EnvironmentTransaction,
  effectId: string,
  previewId: string,
): Promise<void> {
  const preview = await getPreview(tx, previewId);
  if (preview === null) throw new Error(`preview ${previewId} is bound and gone`);
  await appendEvidence(tx, {
    effectId,
    source: 'preview',
    observedAt: preview.evidenceObservedAt,
    impliedOutcome: null,
    summary:
      preview.madeBy === 'caller'
        ? `executes preview ${preview.id}, which the caller named`
        : `executes preview ${preview.id}, which the service made for its approval`,
    details: {
      previewId: preview.id,
      requestDigest: preview.requestDigest,
      bindingDigest: preview.bindingDigest,
      madeBy: preview.madeBy,
      expiresAt: preview.expiresAt.toISOString(),
    },
    actor: { type: 'service', id: null },
  });
}

/** Records on a compensated effect that its compensation succeeded. Its outcome stays: both effects happened. */
export async function noteCompensation(
  tx: EnvironmentTransaction,
  compensation: { invocationId: string; compensates: string },
): Promise<void> {
  const by = await tx.row<{ id: string; actionName: string }>(
    'note_compensation',
    'SELECT id, action_name AS "actionName" FROM effects WHERE invocation_id = ?',
    [compensation.invocationId],
  );
  if (!by) throw new Error(`the compensation ${compensation.invocationId} has no effect`);
  await appendEvidence(tx, {
    effectId: compensation.compensates,
    source: 'system',
    observedAt: new Date(),
    impliedOutcome: null,
    summary: `compensated by ${by.id} (${by.actionName})`,
    details: { compensatedBy: by.id },
    actor: { type: 'service', id: null },
  });
}
