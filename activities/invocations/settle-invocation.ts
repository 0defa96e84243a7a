import { abandonAttempt } from '../../db/attempts/ends.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { noteCompensation } from '../../db/effects/evidence.ts';
import { confirmSettlement, readDispatchRecord, writeSettlement } from '../../db/effects/settlement.ts';
import { releasePlace } from '../../db/in-flight/places.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { readInvocationState } from '../../db/invocations/queries.ts';
import { refuseInvocation } from '../../db/invocations/changes.ts';
import { settlementOf, type Settlement } from '../../domain/settlement.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import type { InvocationDependencies, TellDependency } from '../dependencies.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** Settles from the record only. Idempotent. Also releases the place of a dispatch that was lost or is not sent. */
export function settleInvocation(deps: Pick<InvocationDependencies, 'db' | 'logger' | TellDependency>) {
  return async (ref: InvocationRef): Promise<InvocationState> => {
    const [state, next] = await deps.db.withEnvironment(ref, async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new RecordGone(`invocation ${ref.invocationId} was dispatched and is gone`);
      return [
        await settle(tx, work),
        await releasePlace(tx, { kind: 'dispatch', holder: work.id, most: deps.inFlightCaps.dispatch }),
      ] as const;
    });
    await tellNext(deps, 'dispatch', next);
    return state;
  };
}

/** The same within a transaction that has locked the invocation. */
export async function settle(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'status' | 'compensates'>,
): Promise<InvocationState> {
  return settleBy(tx, work, await readDispatchRecord(tx, work.id));
}

/** `record`: that of the invocation's dispatch, read under the lock. */
export async function settleBy(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'status' | 'compensates'>,
  record: Awaited<ReturnType<typeof readDispatchRecord>>,
): Promise<InvocationState> {
  // A failover lost the mark: a new run of the workflow judges the invocation again, and finds that its timeline is the earlier one.
  if (!record) throw new RecordGone(`the dispatch of invocation ${work.id} is gone`);
  const settlement = settlementOf(record);
  if (settlement.kind === 'refused') {
    if (work.status === 'dispatching') await refuseInvocation(tx, work.id, settlement.refusal);
  } else {
    if (settlement.abandon) await abandonAttempt(tx, record.attemptId, settlement.abandon);
    if (isProgress(work.status, settlement.outcome)) {
      const state = await writeSettlement(tx, work.id, settlement);
      if (settlement.outcome === 'succeeded' && work.compensates !== null) {
        await noteCompensation(tx, { invocationId: work.id, compensates: work.compensates });
      }
      return state;
    }
    if (work.status === 'succeeded' && isMatch(settlement) && !record.ambiguous) await confirmSettlement(tx, work.id);
  }
  return readInvocationState(tx, work.id);
}

/** A read found the provider's own record of the success. */
const isMatch = ({ outcome, source }: Extract<Settlement, { kind: 'known' }>): boolean =>
  outcome === 'succeeded' && source === 'provider_lookup';

/** The record never overwrites a person's resolution, or an earlier settlement of an outcome. */
function isProgress(status: string, outcome: string): boolean {
  return status === 'dispatching' || (status === 'unknown' && outcome !== 'unknown');
}
