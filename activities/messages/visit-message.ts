import { hostname } from 'node:os';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { claimCall, isGranted, keepSlot, releaseSlot } from '../../db/flow-control/queue.ts';
import { acquirePermit } from '../../db/in-flight/permits.ts';
import { isHalted } from '../../db/environments/halt.ts';
import { isSubscriptionGone } from '../../db/events/fan-out.ts';
import { readSigners, type SealedSigner } from '../../db/events/subscription-secrets.ts';
import { findUnbegunCallbacks } from '../../db/messages/queries.ts';
import { holdMessage, lockMessage, markBegun, type MessageWork } from '../../db/messages/lock-message.ts';
import { startAttempt, type StartedAttempt, startPermittedAttempt } from '../../db/messages/attempts.ts';
import { readSealedSigningKeys } from '../../db/signing-keys/signing-keys.ts';
import { type Grant, PERMIT_WAIT_LEASE_MS } from '../../domain/flow-control/flow-control.ts';
import { permitLeaseMs } from '../../domain/in-flight.ts';
import type { DeliveryStep, MessageRef } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { Queued } from '../permit-takers.ts';
import type { AttemptResult } from './read-answer.ts';
import { type ClosingAttempt, endOf, type EventDeliveryEnd, type Settled, settleAttempt } from './settle-attempt.ts';

/** A message whose attempt row is committed once the visit is: from then on bytes may be sent. */
export interface Delivery {
  /** The message with the attempt begun. */
  work: MessageWork;
  attempt: StartedAttempt;
  signers: SealedSigner[];
}

export type Visit = DeliveryStep | { next: 'send'; delivery: Delivery };

export interface Visited {
  visit: Visit;
  /** What the message's flow-control key lets through in its place, to be started after the commit. */
  grant: Grant | null;
  /** As `Settled` has it. */
  ended: EventDeliveryEnd | null;
}

/** This worker as its attempts name it, and as Temporal names it. */
const WORKER = `${process.pid}@${hostname()}`;
const GONE_ERROR = 'not sent: its subscription is deleted, and the secret that signs for it';
const LOST_ERROR = 'the worker was lost before the end of this attempt was on record';

/**
 * Decides what is due, in one transaction that locks the message's row: a concurrent cancel waits for it or has committed
 * before. The halt is read in the same transaction, so no attempt starts once a halt has committed. Null: another transaction
 * is asking for a permit of the workspace; nothing was written.
 */
export async function visitMessage(
  tx: EnvironmentTransaction,
  deps: Pick<ActivityDependencies, 'vault' | 'logger' | 'inFlightCaps'>,
  ref: MessageRef,
): Promise<Visited | Queued | null> {
  const { work, halted, signers, isGone } = await lookAt(tx, ref);
  const { id, status } = work;
  if (status === 'delivered' || status === 'failed' || status === 'cancelled') {
    return onlyOf(endOf(work, status, await findUnbegunCallbacks(tx, id)));
  }
  if (work.openAttempt !== null) {
    const lost = unseen({ error: LOST_ERROR, failure: null });
    const abandoned = { ...lost, number: work.openAttempt, status: 'abandoned' } as const;
    return visitedBy(await settleAttempt(tx, deps, ref, work, abandoned));
  }
  if (isGone) {
    // The keys of the workspace would sign it otherwise, which its receiver does not know.
    const { number } = await startAttempt(tx, work, WORKER);
    const refused = unseen({ error: GONE_ERROR, failure: 'blocked' });
    const begun = { ...work, attempts: number };
    return visitedBy(await settleAttempt(tx, deps, ref, begun, { ...refused, number, status: 'completed' }));
  }
  const isQueued = work.flowControlKeyId !== null;
  if (isQueued) {
    if (halted || !(await isGranted(tx, id))) return parked(tx, id);
  } else if (work.dueInMs > 0) {
    await markBegun(tx, work);
    return onlyOf({ next: 'wait', delayMs: work.dueInMs });
  } else if (halted && work.kind !== 'alert') {
    // An alert tells people of what needs them, the halt included: nothing holds it.
    await holdMessage(tx, work);
    return onlyOf({ next: 'park' });
  }
  return begin(tx, deps, { work, signers });
}

interface Looked {
  work: MessageWork;
  halted: boolean;
  signers: SealedSigner[];
  isGone: boolean;
}

/**
 * Locks the message and reads the rows that decide about it. Statements are sent together where possible, because the visits of a
 * workspace follow one another.
 */
async function lookAt(tx: EnvironmentTransaction, ref: MessageRef): Promise<Looked> {
  const { messageId } = ref;
  const [work, halted, keys] = await tx.inOrder(
    () => lockMessage(tx, messageId),
    () => isHalted(tx),
    () => readSealedSigningKeys(tx),
  );
  if (work === null) throw new Error(`message ${messageId} is not there`);
  const [signers, isGone] = await tx.inOrder(
    () => readSigners(tx, ref, work.subscriptionId, keys),
    () => isSubscriptionGone(tx, work.subscriptionId),
  );
  return { work, halted, signers, isGone };
}

/** Starts the attempt, where there is a permit for it; for one with a flow-control key also where its slot holds still. */
async function begin(
  tx: EnvironmentTransaction,
  deps: Pick<ActivityDependencies, 'inFlightCaps'>,
  { work, signers }: Pick<Delivery, 'work' | 'signers'>,
): Promise<Visited | Queued | null> {
  const { id, timeoutSeconds, flowControlKeyId } = work;
  const leaseMs = permitLeaseMs(timeoutSeconds * 1_000);
  const wanted = { kind: 'delivery', holder: id, most: deps.inFlightCaps.delivery, leaseMs } as const;
  const { position, attempt } =
    flowControlKeyId === null
      ? await startPermittedAttempt(tx, work, wanted, WORKER)
      : { position: await acquirePermit(tx, wanted), attempt: null };
  if (position === null) return null;
  if (position > 0) {
    if (flowControlKeyId !== null) await keepSlot(tx, id, PERMIT_WAIT_LEASE_MS);
    await markBegun(tx, work);
    return new Queued(position);
  }
  if (flowControlKeyId !== null && !(await claimCall(tx, id, leaseMs))) return parked(tx, id);
  const started = attempt ?? (await startAttempt(tx, work, WORKER));
  const begun = { ...work, status: 'processing', attempts: started.number, openAttempt: started.number } as const;
  return onlyOf({ next: 'send', delivery: { work: begun, attempt: started, signers } });
}

/** The end of an attempt that saw no response. */
function unseen({
  error,
  failure,
}: Pick<AttemptResult, 'error' | 'failure'>): Omit<ClosingAttempt, 'number' | 'status'> {
  const seen = { status: null, headers: null, body: null };
  return { result: { seen, retryAfter: null, error, failure }, address: null, latencyMs: null };
}

function onlyOf(visit: Visit): Visited {
  return { visit, grant: null, ended: null };
}

function visitedBy({ step, grant, ended }: Settled): Visited {
  return { visit: step, grant, ended };
}

/** The message gives its slot back and waits where it was. Its key grants what it can, which may be this very message. */
async function parked(tx: EnvironmentTransaction, messageId: string): Promise<Visited> {
  return { visit: { next: 'park' }, grant: await releaseSlot(tx, messageId, { how: 'returned' }), ended: null };
}
