import type { ApprovalRecord } from '../../db/approvals/records.ts';
import { startDispatch } from '../../db/attempts/start-dispatch.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { reserveImpact } from '../../db/impact-limits/reserve-impact.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { refuseInvocation } from '../../db/invocations/refuse-invocation.ts';
import { readLatestObservation } from '../../db/previews/read-latest-observation.ts';
import type { Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import type { InvocationStatus } from '../../domain/lifecycle.ts';
import type { Refusal, RefusalCode } from '../../domain/refusals.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { decidePolicy } from '../approval-policies/decide-policy.ts';
import { withCompiledPolicies } from '../../domain/approval-policies/with-compiled-policies.ts';
import { consumeForDispatch } from '../approvals/consume-approval.ts';
import { invalidateApproval } from '../approvals/invalidate-approval.ts';
import { recheckApproval } from '../approvals/recheck-approval.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { refuseWhileHalted } from '../environments/refuse-while-halted.ts';
import { recheckBinding } from '../previews/recheck-binding.ts';
import { checkFiles, filesIn } from '../files/attached-bytes.ts';
import { checkDependencies, type Dependencies, type GivenUp } from './check-dependencies.ts';
import { checkRequester } from './check-requester.ts';
import { endedBeforeDispatch, refusalOf } from './evaluate-invocation.ts';
import { prepareInvocation } from './prepare-invocation.ts';

export type Reservation =
  | { decision: 'refused'; refusal: RefusalCode }
  | { decision: 'dispatch' }
  /** It waits for these effects. The workflow asks again when one of them is settled. */
  | { decision: 'depends'; effectIds: string[] }
  /**
   * The provider's record, which it is bound to, was read before the wait. It is read again (`observeTarget`) before the
   * next try.
   */
  | { decision: 'observe' }
  /** It ended while it waited: denied, expired or cancelled. */
  | { decision: 'ended'; state: InvocationState };

/** Statuses that only the mark leads to: it writes the attempt row and moves the invocation in one statement. */
const MARKED: readonly InvocationStatus[] = ['dispatching', 'succeeded', 'failed', 'unknown'];

/**
 * The last check before anything is sent, and the fence, in one transaction. What would be sent must still be what was
 * previewed and approved; the people and keys behind it must still be valid; the policies must still be satisfied; and the
 * environment must not be halted. Then the approval is consumed and the attempt row is written. Idempotent: where the row
 * exists, nothing more happens.
 */
export function reserveAndMarkDispatch(deps: InvocationDependencies) {
  return async (ref: InvocationRef, givenUp: GivenUp | null = null): Promise<Reservation> =>
    withCompiledPolicies(() =>
      deps.db.withEnvironment(ref, async (tx) => {
        const work = await lockInvocationWork(tx, ref.invocationId);
        if (!work) throw new Error(`invocation ${ref.invocationId} was evaluated and is gone`);
        return reserve(deps, tx, work, { givenUp });
      }),
    );
}

/**
 * The same within a transaction that has locked the invocation. `rendered` is its request, where that transaction rendered
 * it.
 */
export async function reserve(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
  { givenUp = null, rendered }: { givenUp?: GivenUp | null; rendered?: Preparation | undefined } = {},
): Promise<Reservation> {
  if (work.status === 'refused') return { decision: 'refused', refusal: refusalOf(work) };
  if (MARKED.includes(work.status)) return { decision: 'dispatch' };
  const ended = endedBeforeDispatch(work);
  if (ended !== null) return { decision: 'ended', state: ended };
  const dependencies = await checkDependencies(tx, work, givenUp);
  if (dependencies.state === 'waiting') return { decision: 'depends', effectIds: dependencies.effectIds };
  const now = new Date();
  if (dependencies.state === 'settled' && (await wasReadLongAgo(deps, tx, work, now))) return { decision: 'observe' };
  const { approval, refusal } = await lastLook(deps, tx, work, { dependencies, rendered, now });
  if (refusal) {
    await refuseInvocation(tx, work.id, refusal);
    if (approval !== null) await invalidateApproval(tx, approval, { workspaceId: work.workspaceId, refusal, at: now });
    return { decision: 'refused', refusal: refusal.code };
  }
  if (approval !== null) await consumeForDispatch(tx, approval);
  const { descriptor } = deps.adapterFor(work.definition.adapter);
  await startDispatch(tx, work.id, descriptor.secretNames(work.definition));
  return { decision: 'dispatch' };
}

/** A read for an invocation takes a minute at most, retries included. */
const OBSERVATION_AGE_MS_MAX = 120_000;

/**
 * An invocation may wait for other effects for a day. The target that it is bound to is still read right before the
 * reservation.
 */
async function wasReadLongAgo(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
  now: Date,
): Promise<boolean> {
  if (!work.hasDependencies || work.preview === null) return false;
  if (!deps.adapterFor(work.definition.adapter).descriptor.inspects) return false;
  const observation = await readLatestObservation(tx, work.id);
  return observation === null || now.getTime() - observation.observedAt.getTime() > OBSERVATION_AGE_MS_MAX;
}

interface LastLook {
  approval: ApprovalRecord | null;
  refusal: Refusal | null;
}

/** Runs each rule in order, until one refuses. */
async function lastLook(
  deps: InvocationDependencies,
  tx: EnvironmentTransaction,
  work: InvocationWork,
  { dependencies, rendered, now }: { dependencies: Dependencies; rendered: Preparation | undefined; now: Date },
): Promise<LastLook> {
  const request = rendered ?? renderedWhereBound(deps, work);
  const requester = await checkRequester(tx, work);
  const { approval, refusal } =
    work.approvalId === null
      ? { approval: null, refusal: await recheckPolicies(tx, work, now) }
      : await recheckApproval(tx, work, work.impact ?? [], now);
  const refused =
    requester ??
    whyNotNow(work, request) ??
    (await checkFiles(
      tx,
      filesIn(request === undefined || request.kind === 'invalid' ? [] : request.request.bodyParts),
    )) ??
    (work.preview === null ? null : await recheckBinding(deps, tx, work, { now, rendered: request })) ??
    refusal ??
    (dependencies.state === 'refused' ? dependencies.refusal : null) ??
    (await reserveWhereGoverned(tx, work, now)) ??
    // The halt comes last: it is a lock that halting waits for, and it holds until the mark is committed.
    (await refuseWhileHalted(tx));
  return { approval, refusal: refused };
}

/** The earlier policies admitted an invocation that waited for other effects for up to a day. */
async function recheckPolicies(tx: EnvironmentTransaction, work: InvocationWork, now: Date): Promise<Refusal | null> {
  if (!work.hasDependencies) return null;
  const { effect, reason, refusal, policyId, ruleId } = await decidePolicy(tx, work, work.impact ?? [], now);
  if (effect !== 'require_approval') return refusal;
  const message = `it was let through before it waited, and now the policies ask for an approval: ${reason}`;
  const details = policyId === null || ruleId === null ? {} : { policyId, ruleId };
  return { code: 'policy_denied', message, details };
}

/** Reserves against every impact limit that applies, or against none. A later refusal releases the reservation. */
async function reserveWhereGoverned(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  now: Date,
): Promise<Refusal | null> {
  const { effectId, impact, target, requestedBy } = work;
  if (effectId === null || impact === null || impact.length === 0) return null;
  const effect = {
    effectId,
    impact,
    target: target ?? {},
    actionName: work.actionName,
    adapterType: work.definition.adapter.type,
    apiKeyId: requestedBy.type === 'api_key' ? requestedBy.id : null,
    agentId: work.agentId,
  };
  return reserveImpact(tx, effect, now);
}

/**
 * The request of an invocation that is bound by its effect or its preview: rendered once for every rule of the last check.
 */
function renderedWhereBound(deps: InvocationDependencies, work: InvocationWork): Preparation | undefined {
  if (work.requestDigest === null && work.preview === null) return undefined;
  return prepareInvocation(deps.adapterFor(work.definition.adapter).descriptor, work);
}

function whyNotNow(work: InvocationWork, request: Preparation | undefined): Refusal | null {
  if (work.actionArchived) return { code: 'action_disabled', message: `action ${work.actionName} is archived` };
  // Plain and without an approval: bound only to its version.
  if (work.requestDigest === null && work.approvalId === null) return null;
  if (work.currentVersionId !== work.versionId) {
    return {
      code: 'action_version_changed',
      message: `action ${work.actionName} has a newer version than the one that was asked for`,
      details: { versionId: work.versionId, currentVersionId: work.currentVersionId },
    };
  }
  if (work.requestDigest === null) return null;
  if (request?.kind === 'refused') return request.refusal;
  if (request?.kind !== 'ready' || requestDigestOf(request) !== work.requestDigest) {
    return { code: 'digest_mismatch', message: 'the request would differ from the one that the effect is bound to' };
  }
  return null;
}
