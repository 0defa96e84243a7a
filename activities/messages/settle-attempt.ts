import type { EnvironmentTransaction } from '../../db/client.ts';
import { releaseSlot } from '../../db/flow-control/queue.ts';
import { endAttempt, type Outcome } from '../../db/messages/attempts.ts';
import { countLostAttempts, lockMessage, type MessageWork } from '../../db/messages/lock-message.ts';
import { findUnbegunCallbacks } from '../../db/messages/queries.ts';
import { deadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import type { Grant } from '../../domain/flow-control/flow-control.ts';
import type { DeliveryStep, MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import { askedDelayMs, isDelivered, nextAttemptDelayMs } from '../../domain/messages/retry.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { insertCallbacks } from './insert-callbacks.ts';
import type { AttemptResult } from './read-answer.ts';

export interface ClosingAttempt {
  number: number;
  status: 'completed' | 'abandoned';
  result: AttemptResult;
  /** The address that was dialled; null where none was, or where nobody knows. */
  address: string | null;
  /** Null where nobody knows. */
  latencyMs: number | null;
}

/** How the delivery of an event ended, for the clock of its subscription. */
export interface EventDeliveryEnd {
  subscriptionId: string;
  url: string;
  isDelivered: boolean;
}

/** An attempt's end as it is on record. */
export interface Settled {
  step: DeliveryStep;
  /** False: another execution closed the attempt before. */
  closed: boolean;
  /** What the message's flow-control key lets through in its place, to be started after the commit. */
  grant: Grant | null;
  /** Set where this ended the delivery of an event: the caller hands it to `followDelivery`, last in its transaction. */
  ended: EventDeliveryEnd | null;
}

/**
 * Closes an attempt and moves its message to delivered, to failed, or to the time of the next attempt. `work` is the message as of the
 * attempt's start: none of its members that matter here change while the attempt is open. Its callbacks are accepted in the same
 * transaction, and the next message of its flow-control key is granted. An attempt that was abandoned meanwhile changes nothing: the
 * recorded state is returned, with `closed` false.
 */
export async function settleAttempt(
  tx: EnvironmentTransaction,
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  ref: MessageRef,
  work: MessageWork,
  { number, status, result, address, latencyMs }: ClosingAttempt,
): Promise<Settled> {
  const outcome = await outcomeOf(tx, work, status, result);
  const error = outcome.kind === 'delivered' ? null : outcome.error;
  const { seen, failure } = result;
  const end = { status, seen, failure, error, address, latencyMs };
  if (!(await endAttempt(tx, work, number, end, outcome))) {
    deps.logger.warn({ ...ref, number }, 'an attempt was given up before its end was recorded');
    return { step: await stepNow(tx, work.id), closed: false, grant: null, ended: null };
  }
  const hold = holdOf(result);
  if (outcome.kind === 'retry') {
    const { delayMs } = outcome;
    if (work.flowControlKeyId === null)
      return { step: { next: 'wait', delayMs }, closed: true, grant: null, ended: null };
    const grant = await releaseSlot(tx, work.id, { how: 'retried', againInMs: delayMs, ...hold });
    return { step: { next: 'park' }, closed: true, grant, ended: null };
  }
  const callbackIds = await insertCallbacks(tx, deps, ref, work, { status: outcome.kind, seen: result.seen });
  const grant = work.flowControlKeyId === null ? null : await releaseSlot(tx, work.id, { how: 'ended', ...hold });
  const { subscriptionId, url } = work;
  const ended = subscriptionId === null ? null : { subscriptionId, url, isDelivered: outcome.kind === 'delivered' };
  return { step: endOf(work, outcome.kind, callbackIds), closed: true, grant, ended };
}

/** A destination that asks for a pause asks it of all messages of the key. */
function holdOf({ seen, retryAfter }: AttemptResult): { holdMs?: number } {
  const holdMs = askedDelayMs({ responseStatus: seen.status, retryAfter }, Date.now());
  return holdMs > 0 ? { holdMs } : {};
}

async function outcomeOf(
  tx: EnvironmentTransaction,
  work: MessageWork,
  closing: ClosingAttempt['status'],
  result: AttemptResult,
): Promise<Outcome> {
  const { status } = result.seen;
  if (status !== null && isDelivered(status)) return { kind: 'delivered' };
  const error = result.error ?? `the destination answered ${status}`;
  const isLost = closing === 'abandoned';
  // This one is still open.
  const lostBefore = work.attempts > 1 ? await countLostAttempts(tx, work) : 0;
  const failed = {
    attempts: work.attempts,
    lost: lostBefore + (isLost ? 1 : 0),
    isLost,
    maxRetries: work.maxRetries,
    retryDelaysMs: work.retryDelaysMs,
    responseStatus: status,
    retryAfter: result.retryAfter,
    blocked: result.failure === 'blocked',
  };
  const delayMs = nextAttemptDelayMs(failed, Date.now(), Math.random());
  return delayMs === null
    ? { kind: 'failed', error, reason: deadLetterReason(failed) }
    : { kind: 'retry', error, delayMs };
}

async function stepNow(tx: EnvironmentTransaction, messageId: string): Promise<DeliveryStep> {
  const work = await lockMessage(tx, messageId);
  if (work === null) throw new Error(`message ${messageId} is not there`);
  const { status } = work;
  if (status !== 'delivered' && status !== 'failed' && status !== 'cancelled') {
    return work.flowControlKeyId === null ? { next: 'wait', delayMs: Math.max(0, work.dueInMs) } : { next: 'park' };
  }
  return endOf(work, status, await findUnbegunCallbacks(tx, work.id));
}

/** The last step of a message. */
export function endOf({ scheduleId }: MessageWork, status: MessageEnd, callbackIds: string[]): DeliveryStep {
  return { next: 'end', status, callbackIds, ...(scheduleId === null ? {} : { scheduleId }) };
}
