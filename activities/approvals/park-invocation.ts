import { openApproval } from '../../db/approvals/open-approval.ts';
import { parkInvocation } from '../../db/invocations/park-invocation.ts';
import type { BoundPreview, InvocationWork } from '../../db/invocations/records.ts';
import { appendPreviewEvidence } from '../../db/previews/append-preview-evidence.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { Preparation, PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { invocationSummary, invocationTitle } from '../../domain/approvals/summary.ts';
import { newId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/lifecycle.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { makePreview } from '../previews/make-preview.ts';
import { recheckBinding } from '../previews/recheck-binding.ts';

/** An approval that is about to be opened: what it binds to is there already. */
export interface PreparedApproval {
  id: string;
  verdict: PolicyVerdict & { terms: NonNullable<PolicyVerdict['terms']> };
  expiresAt: Date;
  preview: BoundPreview;
}

/**
 * An approval of an invocation binds to a preview: the one that its caller named, or one that is made here. It ends with its
 * rule's time, or with the caller's preview where that one ends before. What would be refused anyway is refused now (a preview
 * that no longer holds, for one): nobody is asked about it.
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

/** Opens it, and parks the invocation, whose effect stands by now: its caller is answered 202 once this is committed. */
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
  await parkInvocation(tx, work.id, id);
  if (work.effectId !== null) await appendPreviewEvidence(tx, work.effectId, preview.id);
}
