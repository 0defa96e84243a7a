import { openApproval } from '../../db/approvals/open-approval.ts';
import { parkInvocation } from '../../db/invocations/park-invocation.ts';
import type { BoundPreview, InvocationWork } from '../../db/invocations/records.ts';
import { appendPreviewEvidence } from '../../db/effects/append-evidence.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Preparation, PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { invocationSummary, invocationTitle } from '../../domain/approvals/summary.ts';
import { newId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { makePreview } from '../previews/make-preview.ts';
import { recheckBinding } from '../previews/recheck-binding.ts';

/** An approval that is about to be opened. What it binds to exists already. */
export interface PreparedApproval {
  id: string;
  verdict: PolicyVerdict & { terms: NonNullable<PolicyVerdict['terms']> };
  expiresAt: Date;
  preview: BoundPreview;
}

/**
 * Binds the approval of an invocation to a preview: the caller's, or one that is made here. The approval ends with its
 * rule's time, or with the caller's preview where that ends earlier. An invocation that would be refused later (its preview
 * no longer holds, for one) is refused now, so that nobody is asked about it.
 */
export async function prepareApproval(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
  {
    verdict,
    effectId,
    rendered,
    now,
  }: { verdict: PolicyVerdict; effectId: string | null; rendered: Preparation; now: Date },
): Promise<PreparedApproval | Refusal> {
  const { terms } = verdict;
  if (terms === null) throw new Error('a verdict that requires an approval has its terms');
  const byRule = new Date(now.getTime() + terms.expiresInSeconds * 1000);
  const id = newId('approval');
  if (work.preview !== null) {
    const { expiresAt: ofPreview } = work.preview;
    const stale = await recheckBinding(deps, tx, { ...work, effectId }, { now, rendered });
    if (stale !== null) return stale;
    const expiresAt = ofPreview < byRule ? ofPreview : byRule;
    return { id, verdict: { ...verdict, terms }, expiresAt, preview: work.preview };
  }
  const made = await makePreview(deps, tx, work, { effectId, rendered, expiresAt: byRule });
  if ('code' in made) return made;
  const preview: BoundPreview = {
    id: made.previewId,
    madeBy: 'service',
    effectId,
    bindingDigest: made.bindingDigest,
    expiresAt: byRule,
  };
  return { id, verdict: { ...verdict, terms }, expiresAt: byRule, preview };
}

/** Opens the approval and parks the invocation, whose effect exists by now. Its caller is answered 202 after the commit. */
export async function openInvocationApproval(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  { id, verdict, expiresAt, preview }: PreparedApproval,
  { prepared }: { prepared: { request: PreparedRequest } },
): Promise<void> {
  const asked = {
    actionName: work.actionName,
    environmentName: work.environment.name,
    requestedBy: { ...work.requestedBy, name: work.requestedByName },
    agentId: work.agentId,
    request: prepared.request,
    impact: work.impact ?? [],
  };
  await openApproval(tx, {
    id,
    kind: 'invocation',
    invocationId: work.id,
    effectId: work.effectId,
    previewId: preview.id,
    actionId: work.actionId,
    title: invocationTitle(asked),
    summary: invocationSummary(asked),
    payload: null,
    bindingDigest: preview.bindingDigest,
    policy: {
      source: verdict.source,
      id: verdict.policyId,
      version: verdict.version,
      ruleId: verdict.ruleId,
      reason: verdict.reason,
    },
    quorum: verdict.terms.quorum,
    approversOfAll: verdict.terms.approversOfAll,
    preventSelf: verdict.terms.preventSelf,
    requestedBy: work.requestedBy,
    expiresAt,
  });
  await parkInvocation(tx, work.id, { approvalId: id, verdict });
  if (work.effectId !== null) await appendPreviewEvidence(tx, work.effectId, preview.id);
}
