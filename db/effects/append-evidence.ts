import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getPreview } from '../previews/get-preview.ts';
import type { NewEvidence } from './records.ts';

/** Appends to an effect's evidence; a trigger chains it by hash. Evidence is never changed or removed. */
export async function appendEvidence(tx: EnvironmentTransaction, evidence: NewEvidence): Promise<string> {
  const id = newId('evidence');
  await tx.raw(
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
