import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { type Claimed, holdLanes, type Outcome, settleAttempts } from '../../db/messages/claims.ts';
import { countEgress } from '../../db/plans/allowances.ts';
import type { SealedSigningKey } from '../../db/signing-keys/signing-keys.ts';
import { deadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import { askedDelayMs, isDelivered, LOST_ATTEMPTS_MAX, nextAttemptDelayMs } from '../../domain/messages/retry.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { followDeliveries } from './follow-deliveries.ts';
import { insertCallbacks } from './insert-callbacks.ts';
import type { EndedAttempt, SettledAttempt } from './send-attempt.ts';

/** What a claim took, and the keys that sign it. */
export interface Taken {
  claimed: Claimed;
  keys: SealedSigningKey[];
}

export interface SettleOptions {
  /** An earlier try may have committed, and counted the egress of what it closed. */
  isRepeat?: boolean;
  /** Claims in the same transaction, behind everything else. Ends without callbacks, holds and subscriptions only. */
  claim?: ((tx: EnvironmentTransaction) => Promise<Taken>) | null;
}

/**
 * Records the ends of attempts of one environment, in one transaction: attempt, message, callbacks, holds of keys, egress, and the clocks of
 * subscriptions. Returns those that it closed. An attempt that was given up before its end was on record changes nothing. The transaction
 * takes nothing after it.
 */
export async function settleEnded(
  tx: EnvironmentTransaction,
  deps: Pick<ActivityDependencies, 'vault' | 'logger'>,
  tenant: Tenant,
  ended: readonly EndedAttempt[],
  { isRepeat = false, claim = null }: SettleOptions = {},
): Promise<{ settled: SettledAttempt[]; taken: Taken | null }> {
  const judged = ended.map((attempt) => ({ ...attempt, outcome: outcomeOf(attempt) }));
  const ends = judged.map(({ work, status, result: { seen, failure }, address, latencyMs, outcome }) => {
    return { messageId: work.id, number: work.attempt, status, seen, failure, address, latencyMs, outcome };
  });
  const settle = () => settleAttempts(tx, ends);
  const count = (counted: readonly EndedAttempt[]) =>
    countEgress(
      tx,
      counted.reduce((sum, { egressBytes }) => sum + egressBytes, 0),
    );
  const isPlain =
    !isRepeat &&
    judged.every(({ work, result }) => {
      const { callbackUrl, failureCallbackUrl, subscriptionId } = work;
      return callbackUrl === null && failureCallbackUrl === null && subscriptionId === null && holdMsOf(result) === 0;
    });
  const [closed, , taken] = isPlain
    ? await tx.last(settle, () => count(ended), claim === null ? null : () => claim(tx))
    : [await settle(), null, null];
  const settled = judged.flatMap((attempt): SettledAttempt[] => {
    const known = closed.get(attempt.work.id);
    if (known !== undefined) return [{ ...attempt, ...known }];
    const { id: messageId, attempt: number } = attempt.work;
    // The try before a repeat may have recorded it.
    if (!isRepeat)
      deps.logger.warn({ ...tenant, messageId, number }, 'an attempt was given up before its end was recorded');
    return [];
  });
  if (isPlain) return { settled, taken };
  await insertCallbacks(tx, deps, tenant, settled);
  await holdLanes(tx, holdsOf(settled));
  await count(isRepeat ? settled : ended);
  await followDeliveries(tx, deps, tenant, settled);
  return { settled, taken: null };
}

/** A destination that asks for a pause asks it of all messages of the key. */
function holdsOf(settled: readonly SettledAttempt[]): Map<string, number> {
  const holds = new Map<string, number>();
  for (const { work, result } of settled) {
    const holdMs = holdMsOf(result);
    if (work.flowControlKeyId === null || holdMs === 0) continue;
    holds.set(work.flowControlKeyId, Math.max(holdMs, holds.get(work.flowControlKeyId) ?? 0));
  }
  return holds;
}

function holdMsOf({ seen, retryAfter }: EndedAttempt['result']): number {
  return askedDelayMs({ responseStatus: seen.status, retryAfter }, Date.now());
}

function outcomeOf({ work, status: closing, result }: EndedAttempt): Outcome {
  const { status } = result.seen;
  if (status !== null && isDelivered(status)) return { kind: 'delivered' };
  const error = result.error ?? `the destination answered ${status}`;
  const isLost = closing === 'abandoned';
  const failed = {
    attempts: work.attempt,
    lost: work.lostAttempts + (isLost ? 1 : 0),
    isLost,
    maxRetries: work.maxRetries,
    retryDelaysMs: work.retryDelaysMs,
    responseStatus: status,
    retryAfter: result.retryAfter,
    blocked: result.failure === 'blocked',
  };
  const delayMs = nextAttemptDelayMs(failed, Date.now(), Math.random());
  if (delayMs === null) return { kind: 'failed', error, reason: deadLetterReason(failed) };
  return { kind: 'retry', error, delayMs, isAgain: isLost && failed.lost <= LOST_ATTEMPTS_MAX };
}
