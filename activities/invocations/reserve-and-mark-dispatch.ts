import { startDispatch } from '../../db/attempts/start-dispatch.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { refuseInvocation } from '../../db/invocations/refuse-invocation.ts';
import type { InvocationStatus, Refusal } from '../../domain/lifecycle.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { refuseWhileHalted } from '../environments/refuse-while-halted.ts';
import { prepareInvocation, requestDigestOf } from './prepare-invocation.ts';

export type Reservation = { decision: 'refused' } | { decision: 'dispatch' };

/** Statuses that only the mark leads to: it writes the attempt row and moves the invocation in one statement. */
const MARKED: readonly InvocationStatus[] = ['dispatching', 'succeeded', 'failed', 'unknown'];

/**
 * The last look before anything is sent, and the fence, in one transaction: what the effect is bound to must still be what
 * would be sent, and the environment not halted; then (impact limits take their place here) the attempt row is written. Idempotent: where the row stands
 * already, nothing more happens.
 */
export function reserveAndMarkDispatch(deps: InvocationDependencies) {
  return async (ref: InvocationRef): Promise<Reservation> =>
    deps.db.withEnvironment(ref, async (tx) => {
      const work = await lockInvocationWork(tx, ref.invocationId);
      if (!work) throw new Error(`invocation ${ref.invocationId} was evaluated and is gone`);
      return reserve(deps, tx, work);
    });
}

/** The same within a transaction that has locked the invocation. */
export async function reserve(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
): Promise<Reservation> {
  if (work.status === 'refused') return { decision: 'refused' };
  if (MARKED.includes(work.status)) return { decision: 'dispatch' };
  // The halt comes last: it is a lock that halting waits for, and it holds until the mark is committed.
  const refusal = whyNotNow(deps, work) ?? (await refuseWhileHalted(tx));
  if (refusal) {
    await refuseInvocation(tx, work.id, refusal);
    return { decision: 'refused' };
  }
  await startDispatch(tx, work.id);
  return { decision: 'dispatch' };
}

function whyNotNow(deps: InvocationDependencies, work: InvocationWork): Refusal | null {
  if (work.actionArchived) return { code: 'action_disabled', message: `action ${work.actionName} is archived` };
  if (work.requestDigest === null) return null; // plain: bound to nothing but its version
  if (work.currentVersionId !== work.versionId) {
    return {
      code: 'action_version_changed',
      message: `action ${work.actionName} has a newer version than the one that was asked for`,
    };
  }
  const { descriptor } = deps.adapterFor(work.definition.adapter.type, work.definition.adapter.version);
  const prepared = prepareInvocation(descriptor, work);
  if (prepared.kind === 'refused') return prepared.refusal;
  if (prepared.kind === 'invalid' || requestDigestOf(prepared) !== work.requestDigest) {
    return { code: 'digest_mismatch', message: 'the request would differ from the one that the effect is bound to' };
  }
  return null;
}
