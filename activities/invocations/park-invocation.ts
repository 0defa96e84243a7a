import { openApproval } from '../../db/approvals/changes.ts';
import type { Allowance } from '../../db/impact-limits/allowances.ts';
import { parkInvocation as park } from '../../db/invocations/changes.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { invocationSummary, invocationTitle } from '../../domain/approvals/summary.ts';
import { newId } from '../../domain/ids.ts';
import type { AskingVerdict } from '../../domain/invocations/judgement.ts';
import type { Judging } from './read-facts.ts';
import { type PreparedApproval, withEffect } from './with-effect.ts';
import { makePreview } from './make-preview.ts';

/**
 * Opens the approval of an invocation and parks it: its caller is answered 202 after the commit. The approval binds to a preview,
 * the caller's or one that is made here. It ends with its rule's time, or with the caller's preview where that ends earlier.
 */
export async function parkInvocation(
  judging: Judging,
  verdict: AskingVerdict,
  allowances: Allowance[],
): Promise<InvocationWork & { approvalId: string }> {
  const { tx, now } = judging;
  const byRule = new Date(now.getTime() + verdict.terms.expiresInSeconds * 1000);
  const preview = judging.work.preview ?? (await makePreview(judging, { expiresAt: byRule, allowances }));
  const expiresAt = preview.expiresAt < byRule ? preview.expiresAt : byRule;
  const approval = { id: newId('approval'), expiresAt, preview };
  const work = await withEffect(judging, { verdict, approval });
  await open({ ...judging, work }, verdict, approval);
  await park(tx, work.id, { approvalId: approval.id, verdict });
  return { ...work, approvalId: approval.id, status: 'pending_approval' };
}

async function open(
  { tx, work, prepared, facts: { impact } }: Judging,
  verdict: AskingVerdict,
  { id, expiresAt, preview }: PreparedApproval,
): Promise<void> {
  if (prepared.kind === 'invalid')
    throw new Error(`invocation ${work.id} asks people about a request that does not render`);
  const asked = {
    actionName: work.actionName,
    environmentName: work.environment.name,
    requestedBy: { ...work.requestedBy, name: work.requestedByName },
    agentId: work.agentId,
    request: prepared.request,
    impact: work.effectId !== null && impact?.ok ? impact.quantities : [],
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
}
