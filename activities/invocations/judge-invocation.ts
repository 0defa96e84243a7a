import { recordAwaitedStatus } from '../../db/approvals/changes.ts';
import { startDispatch } from '../../db/attempts/dispatches.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { readHalt } from '../../db/environments/halt.ts';
import { type LimitsNow, readLimits } from '../../db/impact-limits/allowances.ts';
import { reserveImpact } from '../../db/impact-limits/reservations.ts';
import { awaitDependencies, markEvaluated, refuseInvocation } from '../../db/invocations/changes.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { withCompiledPolicies } from '../../domain/approval-policies/with-compiled-policies.ts';
import type { GivenUp } from '../../domain/invocations/dependencies.ts';
import { type Facts, judge, type Judged, type Judgement, type Onward } from '../../domain/invocations/judgement.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { type RefusalCode, statusOfRefusal } from '../../domain/refusals.ts';
import { invalidateApproval } from '../approvals/invalidate-approval.ts';
import { consumeForDispatch } from '../approvals/consume-approval.ts';
import { parkInvocation } from './park-invocation.ts';
import type { SendFence } from '../adapters/send-fence.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { type ClaimedInTurn, replicated, UNREPLICATED } from '../in-flight/claim-in-turn.ts';
import { claimAtOnce } from './claim-at-once.ts';
import { limitedOf } from './limited-of.ts';
import { isShortCall } from './short-calls.ts';
import { withEffect } from './with-effect.ts';
import { type Judging, planOf, readFacts } from './read-facts.ts';
import { settle } from './settle-invocation.ts';

/**
 * Judges an invocation and carries the judgement out, in one transaction: the evaluation, and the last look before
 * anything is sent, which consumes the approval and writes the attempt row, the fence. Idempotent: the row says what
 * was decided before. Where it has to wait, the workflow asks again. `givenUp`: it no longer waits for other effects.
 * `fence`: the dispatch may be claimed with it, by a process that has stood still no longer than the fence allows.
 */
export async function judgeInvocation(
  deps: InvocationDependencies,
  ref: InvocationRef,
  { givenUp = null, fence = null }: { givenUp?: GivenUp | null; fence?: SendFence | null } = {},
): Promise<CarriedOut> {
  const { answer, isReplicated } = await withCompiledPolicies(() =>
    replicated(deps.db, ref, (tx) => judgeIn(deps, tx, ref, { givenUp, fence })),
  );
  if (isReplicated || answer.next !== 'claimed') return answer;
  return { ...answer, claim: { ...answer.claim, unsent: UNREPLICATED } };
}

async function judgeIn(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  { invocationId }: InvocationRef,
  { givenUp, fence }: { givenUp: GivenUp | null; fence: SendFence | null },
): Promise<CarriedOut> {
  const work = await lockInvocationWork(tx, invocationId);
  if (!work) return { next: 'withdrawn' };
  const before = await decidedBefore(deps, tx, work);
  if (before !== null) return before;
  const [plan, now] = [planOf(deps, work), new Date()];
  const known = await readFacts(tx, work, plan, { givenUp, now, mayClaim: fence !== null });
  return carryOut({ deps, tx, work, now, fence, ...plan, ...known });
}

/** A judgement that was carried out. */
export type CarriedOut =
  | Exclude<Judged, { next: 'send' }>
  /** Marked, and claimed by this execution alone. Only where it may claim. */
  | ({ next: 'claimed'; claim: ClaimedInTurn } & Onward)
  | ({ next: 'send'; isShort: boolean } & Onward)
  /** An earlier execution marked it. */
  | ({ next: 'marked_before'; isShort: boolean } & Onward);

/** What the row says of an invocation that was judged already; null where it is to be judged, for the first time or again. */
async function decidedBefore(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
): Promise<CarriedOut | null> {
  const { id, status, approvalId, refusalCode } = work;
  if (status === 'refused' || status === 'denied' || status === 'expired' || status === 'cancelled') {
    if (refusalCode === null) throw new Error(`invocation ${id} is ${status} and does not say why`);
    // The workflow that awaited the approval may have been terminated. Its successor ends here, and awaits nothing.
    if (approvalId !== null) await recordAwaitedStatus(tx, approvalId);
    return { next: 'ended', state: endOf(status, work.effectId, refusalCode) };
  }
  if (status === 'queued') return null;
  if (status !== 'pending_approval') {
    const isShort = isShortCall(work.definition, planOf(deps, work).prepared);
    return { next: 'marked_before', isShort, ...onwardOf(deps, work) };
  }
  if (approvalId === null) throw new Error(`invocation ${id} waits for no approval`);
  return { next: 'ask_for_approval', approvalId, ...onwardOf(deps, work) };
}

async function carryOut(judging: Judging): Promise<CarriedOut> {
  const { deps, tx, work, facts } = judging;
  let judgement = judge(facts);
  let limits: LimitsNow = { allowances: [], refusal: null };
  if (judgement.next === 'ask_for_approval' || judgement.next === 'wait_for_effects') {
    // Nothing is reserved before the wait, but nobody waits for what the limits refuse.
    limits = await limitsNow(judging);
    judgement = judge({ ...facts, limits: limits.refusal });
  }
  // Not even a refusal holds: it would say that nothing was sent.
  if (work.isRecovered && judgement.next !== 'read_provider') return endAsRecovered(judging, judgement);
  switch (judgement.next) {
    case 'refuse':
      return refuse(judging, judgement, limits.refusal !== null);
    case 'read_provider':
      await markEvaluated(tx, work.id);
      return { next: 'read_provider', actionName: work.actionName };
    case 'ask_for_approval': {
      const parked = await parkInvocation(judging, judgement.verdict, limits.allowances);
      return { next: 'ask_for_approval', approvalId: parked.approvalId, ...onwardOf(deps, parked) };
    }
    case 'wait_for_effects': {
      const waiting = await withEffect(judging, judgement);
      await awaitDependencies(tx, work.id);
      return { next: 'wait_for_effects', effectIds: judgement.effectIds, ...onwardOf(deps, waiting) };
    }
    case 'send':
      return mark(judging, judgement);
  }
}

/** Reserves the impact, looks at the halt under its lock, and writes the fence. */
async function mark(judging: Judging, { verdict }: Extract<Judgement, { next: 'send' }>): Promise<CarriedOut> {
  const { deps, tx, facts } = judging;
  const claim = judging.fence === null ? null : await claimAtOnce(judging, judging.fence, verdict);
  if (claim !== null)
    return { next: 'claimed', claim, ...onwardOf(deps, judging.work), effectId: claim.dispatch.effectId };
  const work = await withEffect(judging, { verdict });
  const limits = await reserve({ ...judging, work });
  // The halt is read last: it is a lock that halting waits for, and it holds until the mark is committed.
  const halt = await readHalt(tx);
  const judgement = judge({ ...facts, limits, halt: halt?.reason ?? null });
  if (judgement.next === 'refuse') return refuse({ ...judging, work }, judgement);
  await beginDispatch(judging, verdict);
  return { next: 'send', isShort: isShortCall(work.definition, judging.prepared), ...onwardOf(deps, work) };
}

/** Writes the fence, and uses up the approval. */
async function beginDispatch(
  { tx, work: { id, definition }, approval, descriptor }: Judging,
  verdict: PolicyVerdict | null,
): Promise<void> {
  if (approval !== null) await consumeForDispatch(tx, approval);
  await startDispatch(tx, id, descriptor.secretNames(definition), verdict);
}

/**
 * Ends the dispatch as unknown: the database may have lost that it was sent. Its impact is reserved, where there is room, because an
 * unknown outcome holds its allowance. Its effect is read at the provider like every other.
 */
async function endAsRecovered(judging: Judging, judgement: Judgement): Promise<CarriedOut> {
  const { deps, tx } = judging;
  const verdict = 'verdict' in judgement ? judgement.verdict : null;
  const work = await withEffect(judging, { verdict });
  await reserve({ ...judging, work });
  await beginDispatch(judging, verdict);
  await settle(tx, { ...work, status: 'dispatching' });
  return { next: 'marked_before', isShort: true, ...onwardOf(deps, work) };
}

/** Ends it as refused, with its effect, because a refused invocation has a receipt too, and with the approval that it has. */
async function refuse(
  judging: Judging,
  { refusal, verdict }: Extract<Judgement, { next: 'refuse' }>,
  isAheadOfWait = false,
): Promise<CarriedOut> {
  const { tx, approval, facts, now } = judging;
  const work = await withEffect(judging, { verdict });
  // Only a reservation that is refused leaves a crossing of its limit (`crossings`), which people are told of.
  if (isAheadOfWait) await reserve({ ...judging, work });
  await refuseInvocation(tx, work.id, refusal, facts.consent === 'none' ? verdict : null);
  if (approval !== null) await invalidateApproval(tx, approval, { workspaceId: work.workspaceId, refusal, at: now });
  return { next: 'ended', state: endOf(statusOfRefusal(refusal.code), work.effectId, refusal.code) };
}

/** Reserves against every impact limit that applies, or against none. A later refusal releases the reservation. */
async function reserve(judging: Judging): Promise<Facts['limits']> {
  const { tx, work, now } = judging;
  const limited = limitedOf(judging);
  return limited === null || work.effectId === null
    ? null
    : reserveImpact(tx, { ...limited, effectId: work.effectId }, now);
}

async function limitsNow(judging: Judging): Promise<LimitsNow> {
  const limited = limitedOf(judging);
  return limited === null ? { allowances: [], refusal: null } : readLimits(judging.tx, limited, judging.now);
}

function onwardOf(deps: InvocationDependencies, work: InvocationWork): Onward {
  const { definition } = work;
  return {
    effectId: work.effectId,
    actionName: work.actionName,
    timeoutMs: definition.timeoutMs,
    heartbeatTimeoutMs: deps.heartbeatTimeoutMs,
    readsBack: deps.adapterFor(definition.adapter).descriptor.readsBack(definition),
  };
}

/** The state of an invocation that ended before anything was sent. */
function endOf(
  status: 'refused' | 'denied' | 'expired' | 'cancelled',
  effectId: string | null,
  refusal: RefusalCode,
): InvocationState {
  const grade = status === 'denied' ? 'denied' : 'refused';
  return { status, grade, stage: effectId === null ? null : 'rejected', effectId, refusal };
}
