import { NotAtOnce, startAtOnce } from '../../db/effects/at-once.ts';
import { findLiveLimits } from '../../db/impact-limits/allowances.ts';
import { takePlace } from '../../db/in-flight/places.ts';
import type { PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { demandsOn } from '../../domain/impact-limits/demand.ts';
import { placeLeaseMs } from '../../domain/in-flight.ts';
import type { SendFence } from '../adapters/send-fence.ts';
import type { ClaimedInTurn } from '../in-flight/claim-in-turn.ts';
import { limitedOf } from './limited-of.ts';
import { isShortCall } from './short-calls.ts';
import type { Judging } from './read-facts.ts';
import { newEffectOf } from './with-effect.ts';

/**
 * Marks and claims the dispatch of an invocation that waits for nothing in the transaction that judges it, and commits. Returns null,
 * with nothing written but a position in the queue for a place, where the dispatch has to go the way of the others: its workspace has
 * its calls in flight, or a preview, an approval, a compensation or a file asks for more than this.
 *
 * @throws {NotAtOnce} as `startAtOnce`, and where a limit is in another currency; the transaction is rolled back.
 */
export async function claimAtOnce(
  judging: Judging,
  fence: SendFence,
  verdict: PolicyVerdict,
): Promise<ClaimedInTurn | null> {
  const { deps, tx, work, prepared, descriptor, sealed, secretVersions, now } = judging;
  if (!isPlainCall(judging) || sealed === null || prepared.kind !== 'ready') return null;
  const effect = newEffectOf(judging);
  const limited = limitedOf(judging);
  const [place, limits] = await tx.inOrder(
    () =>
      takePlace(tx, {
        kind: 'dispatch',
        holder: work.id,
        most: deps.inFlightCaps.dispatch,
        leaseMs: placeLeaseMs(work.definition.timeoutMs),
      }),
    limited === null ? null : () => findLiveLimits(tx, limited),
  );
  if (place !== 0) return null;
  const { demands, otherCurrency } =
    limited === null ? { demands: [], otherCurrency: [] } : demandsOn(limits ?? [], limited);
  if (otherCurrency.length > 0)
    throw new NotAtOnce('a limit counts another currency, and the place is to be given back');
  const attemptId = await startAtOnce(tx, { invocationId: work.id, effect, secretVersions, verdict, demands, now });
  const { definition, operationKey, input } = work;
  return {
    unsent: null,
    fence,
    dispatch: {
      attemptId,
      invocationId: work.id,
      effectId: effect?.id ?? null,
      operationKey,
      input,
      definition,
      requestDigest: effect?.requestDigest ?? null,
      boundSecretVersions: null,
    },
    atOnce: {
      sealed,
      prepared,
      endsAtOnce: !descriptor.readsBack(definition) && (effect?.impact ?? []).every(({ bound }) => bound === 'exact'),
      isLimited: demands.length > 0,
    },
  };
}

/** Nobody agreed to it, nothing binds or follows it, and its request is all that is sent. */
function isPlainCall({ work, approval, prepared }: Judging): boolean {
  if (approval !== null || work.preview !== null || work.effectId !== null || work.compensates !== null) return false;
  return isShortCall(work.definition, prepared);
}
