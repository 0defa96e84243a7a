import type { EnvironmentTransaction } from '../../db/client.ts';
import { createEffect } from '../../db/effects/create-effect.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { appendPreviewEvidence } from '../../db/effects/append-evidence.ts';
import { readLatestObservation } from '../../db/previews/read-latest-observation.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import { newId } from '../../domain/ids.ts';
import type { DeclaredImpact } from '../../domain/impact.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import { decidePolicy } from '../approval-policies/decide-policy.ts';
import { openInvocationApproval, prepareApproval, type PreparedApproval } from '../approvals/park-invocation.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { haltRefusal } from '../environments/refuse-while-halted.ts';
import { prepareInvocation } from './prepare-invocation.ts';

/**
 * The outcome of an invocation's first evaluation. `work` is its state after that, with its effect and its approval;
 * `rendered` is its request, for later steps of the same transaction.
 */
export type DecidedInvocation =
  | { decision: 'observe' }
  | { decision: 'refused'; refusal: Refusal; work: InvocationWork; verdict: PolicyVerdict | null }
  | { decision: 'wait'; work: InvocationWork }
  | { decision: 'proceed'; work: InvocationWork; rendered: Preparation; verdict: PolicyVerdict | null };

/** The request that would be sent, and its impact. */
interface Planned {
  descriptor: AdapterDescriptor;
  /** The effect id of a governed action: the one that its preview reserves, otherwise a new one. */
  effectId: string | null;
  prepared: Exclude<Preparation, { kind: 'invalid' }>;
  impact: DeclaredImpact;
  observation: Observation | null;
}

/**
 * The rules of an evaluation, in order: the halt; requests that cannot be sent; the provider's record, where the adapter
 * reads it; the impact; the policies, for plain actions too; then the approval. A refusal gets its effect too, because it
 * also has a receipt.
 */
export async function decideInvocation(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
): Promise<DecidedInvocation> {
  const now = new Date();
  const plan = await planOf(deps, tx, work);
  const unsendable = unsendableOf(work, plan);
  // An adapter that inspects learns the impact, and the reasons to refuse, only from the provider's record.
  if (unsendable === null && plan.descriptor.inspects && plan.observation === null) return { decision: 'observe' };
  let refusal = unsendable ?? plan.observation?.refusal ?? (plan.impact.ok ? null : plan.impact.refusal);
  let verdict: PolicyVerdict | null = null;
  if (refusal === null && plan.impact.ok) {
    verdict = await decidePolicy(tx, work, plan.impact.quantities, now);
    refusal = verdict.effect === 'deny' ? verdict.refusal : null;
  }
  const mustBeAgreedTo = refusal === null && verdict?.effect === 'require_approval';
  if (!mustBeAgreedTo || refusal !== null || verdict === null) {
    const evaluated = await withEffect(tx, work, plan, { verdict, approval: null });
    return refusal === null
      ? { decision: 'proceed', work: evaluated, rendered: plan.prepared, verdict }
      : { decision: 'refused', refusal, work: evaluated, verdict };
  }
  const { effectId, prepared: rendered } = plan;
  const approval = await prepareApproval(deps, tx, work, { verdict, effectId, rendered, now });
  if ('code' in approval) {
    const evaluated = await withEffect(tx, work, plan, { verdict, approval: null });
    return { decision: 'refused', refusal: approval, work: evaluated, verdict };
  }
  const parked = await withEffect(tx, work, plan, { verdict, approval });
  await openInvocationApproval(tx, parked, approval, plan);
  return { decision: 'wait', work: { ...parked, approvalId: approval.id, status: 'pending_approval' } };
}

async function planOf(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
): Promise<Planned> {
  const { definition } = work;
  const { descriptor } = deps.adapterFor(definition.adapter);
  const effectId = definition.governed ? (work.preview?.effectId ?? newId('effect')) : null;
  const prepared = prepareInvocation(descriptor, { ...work, effectId });
  if (prepared.kind === 'invalid') {
    // The admission rendered the same templates, so only a worker of another version can get here.
    throw new Error(`invocation ${work.id} was admitted with a request that does not render`);
  }
  const observation = descriptor.inspects ? await readLatestObservation(tx, work.id) : null;
  const impact = impactOf(descriptor, definition, work.input, observation?.preconditions ?? null);
  return { descriptor, effectId, prepared, impact, observation };
}

function unsendableOf(work: InvocationWork, { prepared }: Planned): Refusal | null {
  if (work.haltedReason !== null) return haltRefusal(work.haltedReason);
  // A plain action has no receipt but its response, so the dispatch refuses it.
  return prepared.kind === 'refused' && work.definition.governed ? prepared.refusal : null;
}

/** The invocation with its governing effect, in the stage that its approval requires; a plain one is unchanged. */
async function withEffect(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  { descriptor, effectId, prepared, impact }: Planned,
  { verdict, approval }: { verdict: PolicyVerdict | null; approval: PreparedApproval | null },
): Promise<InvocationWork> {
  const preview = approval?.preview ?? work.preview;
  if (effectId === null) return { ...work, preview };
  const { definition } = work;
  const requestDigest = requestDigestOf(prepared);
  const quantities = impact.ok ? impact.quantities : [];
  const bindingDigest = preview?.bindingDigest ?? null;
  const effect = {
    id: effectId,
    invocationId: work.id,
    operationKey: work.operationKey,
    actionName: work.actionName,
    versionId: work.versionId,
    adapterType: descriptor.type,
    adapterVersion: descriptor.version,
    capabilities: descriptor.capabilitiesFor(definition),
    target: prepared.target,
    request: prepared.request,
    requestDigest,
    impact: quantities,
    stage: approval === null ? 'ready' : 'awaiting_approval',
    previewId: preview?.id ?? null,
    bindingDigest,
    approvalId: approval?.id ?? null,
  } as const;
  await createEffect(tx, effect, verdict);
  // Opening an approval appends this evidence itself.
  if (approval === null && preview !== null) await appendPreviewEvidence(tx, effectId, preview.id);
  return { ...work, effectId, requestDigest, bindingDigest, impact: quantities, target: prepared.target, preview };
}
