import { appendEvidence } from '../effects/append-evidence.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getPreview } from './get-preview.ts';

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
