import { createEffect } from '../../db/effects/settlement.ts';
import type { BoundPreview, InvocationWork } from '../../db/invocations/records.ts';
import { appendPreviewEvidence } from '../../db/effects/evidence.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import type { Judging } from './read-facts.ts';

/** An approval that is about to be opened. What it binds to exists already. */
export interface PreparedApproval {
  id: string;
  expiresAt: Date;
  preview: BoundPreview;
}

/** Creates the effect of an invocation that is judged first. Returns one that needs or has none as it is. */
export async function withEffect(
  { tx, work, descriptor, effectId, prepared, facts }: Judging,
  { verdict, approval = null }: { verdict: PolicyVerdict | null; approval?: PreparedApproval | null },
): Promise<InvocationWork> {
  const preview = approval?.preview ?? work.preview;
  if (effectId === null || work.effectId !== null || prepared.kind === 'invalid') return { ...work, preview };
  const requestDigest = requestDigestOf(prepared);
  const impact = facts.impact?.ok ? facts.impact.quantities : [];
  const bindingDigest = preview?.bindingDigest ?? null;
  const effect = {
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
    requestDigest,
    impact,
    stage: approval === null ? 'ready' : 'awaiting_approval',
    previewId: preview?.id ?? null,
    bindingDigest,
    approvalId: approval?.id ?? null,
  } as const;
  await createEffect(tx, effect, verdict);
  if (preview !== null) await appendPreviewEvidence(tx, effectId, preview.id);
  return { ...work, effectId, requestDigest, bindingDigest, impact, target: prepared.target, preview };
}
