import { createEffect } from '../../db/effects/create-effect.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import { markEvaluated } from '../../db/invocations/mark-evaluated.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { refuseInvocation } from '../../db/invocations/refuse-invocation.ts';
import { newId } from '../../domain/ids.ts';
import { declaredImpact } from '../../domain/impact.ts';
import type { Refusal } from '../../domain/lifecycle.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { haltRefusal } from '../environments/refuse-while-halted.ts';
import { prepareInvocation, requestDigestOf } from './prepare-invocation.ts';

export type Evaluation =
  /** The admission was withdrawn before the workflow began. */
  | { decision: 'withdrawn' }
  | { decision: 'refused'; effectId: string | null }
  | { decision: 'proceed'; effectId: string | null; actionName: string; timeoutMs: number; readsBack: boolean };

/**
 * Decides what becomes of an admitted invocation and creates the effect of a governed one. Idempotent: a second run finds
 * what the first one wrote. (Approval policy takes its place here: a decision `wait` beside `proceed` and `refused`.)
 */
export function evaluateInvocation(deps: InvocationDependencies) {
  return async (ref: InvocationRef): Promise<Evaluation> =>
    deps.db.withEnvironment(ref, async (tx) => (await evaluate(deps, tx, ref)).evaluation);
}

/** The same, with the invocation as it is then, locked until the transaction ends. Null where it was withdrawn. */
export async function evaluate(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  ref: InvocationRef,
): Promise<{ evaluation: Evaluation; work: InvocationWork | null }> {
  const work = await lockInvocationWork(tx, ref.invocationId);
  if (!work) return { evaluation: { decision: 'withdrawn' }, work };
  if (work.status === 'refused') return { evaluation: { decision: 'refused', effectId: work.effectId }, work };
  const proceed = {
    decision: 'proceed',
    actionName: work.actionName,
    timeoutMs: work.definition.timeoutMs,
    readsBack: work.definition.verify !== null,
  } as const;
  if (work.status !== 'queued') return { evaluation: { ...proceed, effectId: work.effectId }, work };
  if (work.actionArchived) {
    const refusal: Refusal = { code: 'action_disabled', message: `action ${work.actionName} is archived` };
    return { evaluation: await refuse(tx, work.id, null, refusal), work };
  }
  const halted = work.haltedReason === null ? null : haltRefusal(work.haltedReason);
  if (!work.definition.governed) {
    if (halted) return { evaluation: await refuse(tx, work.id, null, halted), work };
    await markEvaluated(tx, work.id);
    return { evaluation: { ...proceed, effectId: null }, work };
  }
  if (work.effectId !== null) return { evaluation: { ...proceed, effectId: work.effectId }, work };
  const { effectId, requestDigest, refusal: unfit } = await admitEffect(deps, tx, work);
  const refusal = halted ?? unfit;
  const evaluation = refusal ? await refuse(tx, work.id, effectId, refusal) : { ...proceed, effectId };
  return { evaluation, work: { ...work, effectId, requestDigest } };
}

/** Creates the effect, also of what is refused at once: a refusal has a receipt too. */
async function admitEffect(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
): Promise<{ effectId: string; requestDigest: string; refusal: Refusal | null }> {
  const { definition } = work;
  const { descriptor } = deps.adapterFor(definition.adapter.type, definition.adapter.version);
  const effectId = newId('effect');
  const prepared = prepareInvocation(descriptor, { ...work, effectId });
  if (prepared.kind === 'invalid') {
    // The admission rendered the same templates: only a worker of another version can come here.
    throw new Error(`invocation ${work.id} was admitted with a request that does not render`);
  }
  const impact = declaredImpact(definition.impact, work.input);
  const requestDigest = requestDigestOf(prepared);
  await createEffect(tx, {
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
    impact: impact.ok ? impact.quantities : [],
  });
  if (prepared.kind === 'refused') return { effectId, requestDigest, refusal: prepared.refusal };
  return { effectId, requestDigest, refusal: impact.ok ? null : impact.refusal };
}

async function refuse(
  tx: EnvironmentTransaction,
  invocationId: string,
  effectId: string | null,
  refusal: Refusal,
): Promise<Evaluation> {
  await refuseInvocation(tx, invocationId, refusal);
  return { decision: 'refused', effectId };
}
