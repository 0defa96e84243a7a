import type { ClaimedDispatch } from '../../db/attempts/dispatches.ts';
import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { takePlace } from '../../db/in-flight/places.ts';
import { readHalt } from '../../db/environments/halt.ts';
import { lockInvocation } from '../../db/invocations/locks.ts';
import { type NoPlace, placeLeaseMs } from '../../domain/in-flight.ts';
import { refusalBy } from '../../domain/invocations/judgement.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { SealedSecretRow } from '../../db/secrets/secrets.ts';
import { dispatchFence } from './dispatch-fence.ts';
import type { DispatchResult } from '../adapters/adapter.ts';
import type { SendFence } from '../adapters/send-fence.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { Queued } from '../lane-takers.ts';

/** The claim of a call that is sent once. */
export interface Claim {
  /** The invocation of a dispatch, the attempt of a replay. */
  holder: string;
  /** The action's time-out. */
  timeoutMs: number;
  /** After this time from the claim the call is given up, if it was not sent. */
  lastsMs: number;
  /** Claims it for good; null where this execution may not send. */
  claim(tx: EnvironmentTransaction): Promise<{ dispatch: ClaimedDispatch; requester: Refusal | null } | null>;
  /** Whether `claim` could succeed later. It locks nothing. */
  isUnclaimed(tx: EnvironmentTransaction): Promise<boolean>;
}

/**
 * `unsent`: the call is claimed, and must not be sent. An event between the mark and this claim forbids it, such as a halt (a call
 * may have queued for its place for an hour), or a failover may undo the claim.
 */
export interface ClaimedInTurn {
  dispatch: ClaimedDispatch;
  unsent: Extract<DispatchResult, { kind: 'refused' | 'not_sent' }> | null;
  /** Made before the claim. */
  fence: SendFence;
  /** Set where the claim is that of `claimAtOnce`. */
  atOnce?: ClaimedAtOnce | null;
}

/** What the transaction of a claim has read and made already. */
export interface ClaimedAtOnce {
  sealed: readonly SealedSecretRow[];
  /** The request as it is shown. */
  prepared: Preparation;
  /** True where the end of the call says all that its settlement needs. */
  endsAtOnce: boolean;
  /** True where impact limits hold a reservation of it. */
  isLimited: boolean;
}

/**
 * After a failover the call would be unclaimed, and sent again. PostgreSQL replicates commits in order: a claim that is confirmed
 * proves the commits before it too, that of the fence and of the approval's consumption.
 */
export const UNREPLICATED = {
  kind: 'not_sent',
  reason: 'the database did not wait for a synchronous standby, so a failover may undo the claim',
} as const;

/** Runs a transaction, and tells whether the standbys that the server is to wait for have confirmed it. */
export async function replicated<T>(
  db: InvocationDependencies['db'],
  tenant: Tenant,
  work: (tx: EnvironmentTransaction) => Promise<T>,
): Promise<{ answer: T; isReplicated: boolean }> {
  let isReplicated = true;
  const answer = await db.withEnvironment(tenant, work, { onUnreplicated: () => void (isReplicated = false) });
  return { answer, isReplicated };
}

/** Thrown to roll back: an execution that may not send asked for a place. */
class ClaimedElsewhere extends Error {}

/**
 * Acquires a place and then the claim, in one transaction: an execution without a place has claimed nothing, and one that may
 * not claim holds no place. A crash leaves both or neither. Both are then over when the settlement finds the worker lost, or
 * when the place's lease ends.
 */
export async function claimInTurn(
  deps: Pick<InvocationDependencies, 'db' | 'inFlightCaps' | 'laneTakers' | 'watchdog' | 'heartbeatTimeoutMs'>,
  ref: InvocationRef,
  { holder, timeoutMs, lastsMs, claim, isUnclaimed }: Claim,
): Promise<ClaimedInTurn | NoPlace | 'claimed_elsewhere'> {
  const wanted = {
    kind: 'dispatch',
    holder,
    most: deps.inFlightCaps.dispatch,
    leaseMs: placeLeaseMs(timeoutMs),
  } as const;
  const take = async (tx: EnvironmentTransaction): Promise<ClaimedInTurn | Queued | null> => {
    const fence = dispatchFence(deps, lastsMs);
    // Both statements are sent together. The invocation is locked first, in the same order as when its end is recorded and its place
    // released.
    const [, position] = await tx.inOrder(
      () => lockInvocation(tx, ref.invocationId),
      () => takePlace(tx, wanted),
    );
    if (position === null) return null;
    if (position > 0) {
      // It must not queue for a call that it may never send: it rolls its position back and settles.
      if (!(await isUnclaimed(tx))) throw new ClaimedElsewhere();
      return new Queued(position);
    }
    const claimed = await claim(tx);
    if (!claimed) throw new ClaimedElsewhere();
    const halt = await readHalt(tx);
    const refusal = refusalBy({ halt: halt?.reason ?? null, requester: claimed.requester });
    return { dispatch: claimed.dispatch, fence, unsent: refusal && { kind: 'refused', refusal } };
  };
  try {
    const taker = { workspaceId: ref.workspaceId, ...wanted };
    return await deps.laneTakers.inTurn(taker, async () => {
      const { answer, isReplicated } = await replicated(deps.db, ref, take);
      if (isReplicated || answer === null || answer instanceof Queued) return answer;
      return { ...answer, unsent: answer.unsent ?? UNREPLICATED };
    });
  } catch (error) {
    if (error instanceof ClaimedElsewhere) return 'claimed_elsewhere';
    throw error;
  }
}
