import { createEffect } from '../../db/effects/settlement.ts';
import type { BoundPreview, InvocationWork } from '../../db/invocations/records.ts';
import { appendPreviewEvidence } from '../../db/effects/evidence.ts';
import type { NewEffect } from '../../db/effects/records.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import type { Judging } from './read-facts.ts';

/** An approval that is about to be opened. What it binds to exists already. */
export interface PreparedApproval {
  id: string;
  expiresAt: Date;
  preview: BoundPreview;
}

/** The effect that an invocation is to have; null where it needs none, or has one already. */
export function newEffectOf(
  { work, descriptor, effectId, prepared, facts }: Judging,
  approval: PreparedApproval | null = null,
): NewEffect | null {
  const preview = approval?.preview ?? work.preview;
  if (effectId === null || work.effectId !== null || prepared.kind === 'invalid') return null;
  return {
    id: effectId,
    invocationId: work.id,
    operationKey: work.operationKey,
    actionName: work.actionName,
    versionId: work.versionId,
    adapterType: descriptor.type,
    adapterVersion: descriptor.version,
    capabilities: descriptor.capabilitiesFor(work.definition),
    target: prepared.target,
    request: prepared.request,
    requestDigest: requestDigestOf(prepared),
    impact: facts.impact?.ok ? facts.impact.quantities : [],
    stage: approval === null ? 'ready' : 'awaiting_approval',
    previewId: preview?.id ?? null,
    bindingDigest: preview?.bindingDigest ?? null,
    approvalId: approval?.id ?? null,
  };
}

/** Creates the effect of an invocation that is judged first. Returns one that needs or has none as it is. */
export async function withEffect(
  judging: Judging,
  { verdict, approval = null }: { verdict: PolicyVerdict | null; approval?: PreparedApproval | null },
): Promise<InvocationWork> {
  const { tx, work } = judging;
  const preview = approval?.preview ?? work.preview;
  const effect = newEffectOf(judging, approval);
  if (effect === null) return { ...work, preview };
  await createEffect(tx, effect, verdict);
  if (preview !== null) await appendPreviewEvidence(tx, effect.id, preview.id);
  const { id: effectId, requestDigest, bindingDigest, impact, target } = effect;
  return { ...work, effectId, requestDigest, bindingDigest, impact, target, preview };
}
