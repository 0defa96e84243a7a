import { NotAtOnce } from '../../db/effects/at-once.ts';
import { readCallUnderWay } from '../../db/attempts/dispatches.ts';
import type { GivenUp } from '../../domain/invocations/dependencies.ts';
import { isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import type { Judged, Onward } from '../../domain/invocations/judgement.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { claimAndSend, type Dispatched, sendClaimed } from './dispatch-effect.ts';
import { type CarriedOut, judgeInvocation } from './judge-invocation.ts';
import { dispatchFence } from '../in-flight/dispatch-fence.ts';
import { SHORT_CALL_MARGIN_MS } from './short-calls.ts';

/** How far an invocation was taken without a wait. */
export type Advanced =
  | Judged
  /** Its request was sent, or refused at the claim, and that is on record; or another execution came to its end. */
  | ({ next: 'sent'; dispatched: Exclude<Dispatched, NoPlace> } & Onward)
  /** Another execution claimed the dispatch and may be sending it. The record decides once this time is over. */
  | ({ next: 'await_end'; leftMs: number } & Onward);

/**
 * Takes an invocation as far as it goes without a wait: judges it, and where nothing has to be waited for and its call is short,
 * sends it and settles it. It may run any number of times, because the claim lets one execution ever send.
 *
 * Killed before the claim commits: nothing was sent, and the next execution does all of it. Between the claim and the record: the
 * next execution answers `await_end` until the deadline of the call has passed; then the record decides. After the record: the
 * next execution finds it.
 */
export function advanceInvocation(deps: InvocationDependencies) {
  return async (ref: InvocationRef, givenUp: GivenUp | null = null): Promise<Advanced> => {
    using slot = deps.dispatchSlots.take();
    const carriedOut = await judgeInTurn(deps, ref, { givenUp, mayClaim: slot !== null });
    const { next } = carriedOut;
    if (next !== 'claimed' && next !== 'marked_before' && next !== 'send') return carriedOut;
    const { effectId, actionName, timeoutMs, heartbeatTimeoutMs, readsBack } = carriedOut;
    const onward = { effectId, actionName, timeoutMs, heartbeatTimeoutMs, readsBack };
    if (next === 'claimed')
      return { ...onward, next: 'sent', dispatched: await sendClaimed(deps, ref, carriedOut.claim, !readsBack) };
    if (!carriedOut.isShort) return { ...onward, next: 'send' };
    if (next === 'marked_before') {
      const others = await callOfOthers(deps, ref, onward);
      if (others !== null) return others;
    }
    if (slot === null) return { ...onward, next: 'send' };
    const dispatched = await claimAndSend(deps, ref, {
      settles: !readsBack,
      timeoutMs,
      lastsMs: timeoutMs + SHORT_CALL_MARGIN_MS,
    });
    if (isWithoutPlace(dispatched)) return { ...onward, next: 'send' };
    if (dispatched.seen !== 'claimed_elsewhere') return { ...onward, next: 'sent', dispatched };
    return (await callOfOthers(deps, ref, onward)) ?? { ...onward, next: 'send' };
  };
}

/**
 * One judgement of a workspace at a time claims in this process, because PostgreSQL lets one transaction of a workspace ask for a
 * place (`LaneTakers`). Where it cannot be done at once it is judged without a claim, which says why, or waits.
 */
async function judgeInTurn(
  deps: InvocationDependencies,
  ref: InvocationRef,
  { givenUp, mayClaim }: { givenUp: GivenUp | null; mayClaim: boolean },
): Promise<CarriedOut> {
  const judge = (claims: boolean): Promise<CarriedOut> => {
    const fence = claims ? dispatchFence(deps, SHORT_CALL_MARGIN_MS) : null;
    return judgeInvocation(deps, ref, { givenUp, fence });
  };
  if (!mayClaim) return judge(false);
  const { workspaceId, invocationId: holder } = ref;
  const taker = { workspaceId, kind: 'dispatch', holder, most: deps.inFlightCaps.dispatch } as const;
  try {
    const judged = await deps.laneTakers.inTurn(taker, () => judge(true));
    return isWithoutPlace(judged) ? await judge(false) : judged;
  } catch (error) {
    if (error instanceof NotAtOnce) return judge(false);
    throw error;
  }
}

/** How a dispatch stands that this execution has not claimed; null where nobody has. */
async function callOfOthers(
  { db }: Pick<InvocationDependencies, 'db'>,
  ref: InvocationRef,
  onward: Onward,
): Promise<Advanced | null> {
  const untilMs = onward.timeoutMs + SHORT_CALL_MARGIN_MS;
  const call = await db.oneStatement(ref, (tx) => readCallUnderWay(tx, ref.invocationId, untilMs));
  if (call === 'unclaimed') return null;
  if (call.leftMs > 0) return { ...onward, next: 'await_end', leftMs: call.leftMs };
  return { ...onward, next: 'sent', dispatched: { seen: 'claimed_elsewhere' } };
}
