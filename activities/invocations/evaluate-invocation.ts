import { recordAwaitedStatus } from '../../db/approvals/watch-approval.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import { markEvaluated } from '../../db/invocations/mark-evaluated.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { refuseInvocation } from '../../db/invocations/refuse-invocation.ts';
import type { Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import type { Refusal, RefusalCode } from '../../domain/refusals.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { decideInvocation } from './decide-invocation.ts';

/** The part of an invocation that the workflow needs to continue. */
interface Onward {
  effectId: string | null;
  actionName: string;
  timeoutMs: number;
  /** The workflow knows no configuration: its history keeps the value that its worker had. */
  heartbeatTimeoutMs: number;
  readsBack: boolean;
}

export type Evaluation =
  /** The admission was withdrawn before the workflow began. */
  | { decision: 'withdrawn' }
  | { decision: 'refused'; effectId: string | null; refusal: RefusalCode }
  /** It ended while it waited: denied, expired or cancelled. */
  | { decision: 'ended'; state: InvocationState }
  /** The provider's record must be read first (`observeTarget`); then it is evaluated again. */
  | { decision: 'observe' }
  /** It waits for its approval. `observes`: the provider's record is read again before the reservation. */
  | ({ decision: 'wait'; approvalId: string; observes: boolean } & Onward)
  /** It waits for its dependencies to settle. Only `evaluateAndReserve` returns this. */
  | ({ decision: 'depends' } & Onward)
  | ({ decision: 'proceed' } & Onward);

/** An evaluation, with the invocation's state after it, locked until the transaction ends. Null where it was withdrawn. */
export interface Evaluated {
  evaluation: Evaluation;
  work: InvocationWork | null;
  /** The request, where this evaluation rendered it. */
  rendered?: Preparation;
}

/**
 * Decides the outcome of an admitted invocation, creates the effect of a governed one, and opens an approval where one is
 * required. Idempotent: a second run finds what the first one wrote.
 * Throws `PoliciesNotCompiled` out of the transaction, which therefore runs within `withCompiledPolicies`.
 */
export async function evaluateInvocation(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  ref: InvocationRef,
): Promise<Evaluated> {
  const work = await lockInvocationWork(tx, ref.invocationId);
  if (!work) return { evaluation: { decision: 'withdrawn' }, work };
  if (work.status === 'refused')
    return { evaluation: { decision: 'refused', effectId: work.effectId, refusal: refusalOf(work) }, work };
  const ended = endedBeforeDispatch(work);
  if (ended !== null) {
    // The workflow that awaited the approval may have been terminated. Its successor ends here, and awaits nothing.
    if (work.approvalId !== null) await recordAwaitedStatus(tx, work.approvalId);
    return { evaluation: { decision: 'ended', state: ended }, work };
  }
  const onward = onwardOf(deps, work);
  const isParked = work.approvalId !== null && (work.status === 'pending_approval' || work.status === 'queued');
  if (isParked) return { evaluation: waitFor(deps, work, onward), work };
  if (work.status !== 'queued') return { evaluation: { decision: 'proceed', ...onward }, work };
  if (work.actionArchived) {
    const refusal: Refusal = { code: 'action_disabled', message: `action ${work.actionName} is archived` };
    await refuseInvocation(tx, work.id, refusal);
    return { evaluation: { decision: 'refused', effectId: null, refusal: refusal.code }, work };
  }
  if (work.effectId !== null) return { evaluation: { decision: 'proceed', ...onward }, work };
  return decide(deps, tx, work, onward);
}

async function decide(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
  onward: Onward,
): Promise<Evaluated> {
  const decided = await decideInvocation(deps, tx, work);
  if (decided.decision === 'observe') {
    await markEvaluated(tx, work.id);
    return { evaluation: { decision: 'observe' }, work };
  }
  const { effectId } = decided.work;
  if (decided.decision === 'refused') {
    const { refusal, verdict } = decided;
    await refuseInvocation(tx, work.id, refusal, verdict);
    return { evaluation: { decision: 'refused', effectId, refusal: refusal.code }, work: decided.work };
  }
  if (decided.decision === 'wait')
    return { evaluation: waitFor(deps, decided.work, { ...onward, effectId }), work: decided.work };
  if (effectId === null) await markEvaluated(tx, work.id, decided.verdict); // for a governed one the effect's statement does this
  const { work: evaluated, rendered } = decided;
  return { evaluation: { decision: 'proceed', ...onward, effectId }, work: evaluated, rendered };
}

function onwardOf(deps: InvocationDependencies, work: InvocationWork): Onward {
  const { definition } = work;
  const { descriptor } = deps.adapterFor(definition.adapter);
  return {
    effectId: work.effectId,
    actionName: work.actionName,
    timeoutMs: definition.timeoutMs,
    heartbeatTimeoutMs: deps.heartbeatTimeoutMs,
    readsBack: descriptor.readsBack(definition),
  };
}

function waitFor(deps: InvocationDependencies, work: InvocationWork, onward: Onward): Evaluation {
  if (work.approvalId === null) throw new Error(`invocation ${work.id} waits for no approval`);
  const { inspects } = deps.adapterFor(work.definition.adapter).descriptor;
  return { decision: 'wait', approvalId: work.approvalId, observes: inspects, ...onward };
}

/** How an invocation ended while it waited, so that it was never sent; null where it did not. */
export function endedBeforeDispatch(work: InvocationWork): InvocationState | null {
  const { status, effectId } = work;
  if (status !== 'denied' && status !== 'expired' && status !== 'cancelled') return null;
  return {
    status,
    grade: status === 'denied' ? 'denied' : 'refused',
    stage: effectId === null ? null : 'rejected',
    effectId,
    refusal: refusalOf(work),
  };
}

/** Why an invocation ended that did; the database records it with every such end. */
export function refusalOf({ id, status, refusalCode }: InvocationWork): RefusalCode {
  if (refusalCode === null) throw new Error(`invocation ${id} is ${status} and does not say why`);
  return refusalCode;
}
