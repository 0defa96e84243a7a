import { getApproval } from '../../db/approvals/queries.ts';
import { type ApprovalRecord, standingApprovals } from '../../db/approvals/records.ts';
import { recordAwaitedStatus } from '../../db/approvals/changes.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findDependencies } from '../../db/effects/queries.ts';
import { lockCredentials } from '../../db/invocations/locks.ts';
import { readCancelledRun } from '../../db/invocations/queries.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import { readBinding, readLatestObservation, type RecordedObservation } from '../../db/previews/queries.ts';
import { readSealedSecrets, readSecretVersions, type SealedSecretRow, versionsOf } from '../../db/secrets/secrets.ts';
import type { AdapterDescriptor, Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { impactOf } from '../../domain/adapters/adapter-impact.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import { newId } from '../../domain/ids.ts';
import type { DeclaredImpact } from '../../domain/impact.ts';
import type { Consent } from '../../domain/invocations/consent.ts';
import { type GivenUp, judgedDependencies, withdrawnWithRun } from '../../domain/invocations/dependencies.ts';
import type { Facts } from '../../domain/invocations/judgement.ts';
import { requesterRefusal } from '../../domain/invocations/requester.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { decidePolicy } from '../approval-policies/decide-policy.ts';
import type { SendFence } from '../adapters/send-fence.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { checkFiles, filesIn } from '../files/attached-bytes.ts';
import { bindingRefusal } from '../previews/binding-refusal.ts';
import { prepareInvocation } from './prepare-invocation.ts';

/** The request of an invocation, rendered once in its transaction. */
export interface Planned {
  descriptor: AdapterDescriptor;
  /** The effect id of a governed action: that of its effect, or the one that its preview reserves, otherwise a new one. */
  effectId: string | null;
  prepared: Preparation;
}

export function planOf(deps: Pick<InvocationDependencies, 'adapterFor'>, work: InvocationWork): Planned {
  const { descriptor } = deps.adapterFor(work.definition.adapter);
  const reserved = work.effectId ?? work.preview?.effectId ?? null;
  const effectId = reserved ?? (work.definition.governed ? newId('effect') : null);
  return { descriptor, effectId, prepared: prepareInvocation(descriptor, { ...work, effectId }) };
}

/** What a transaction has read of an invocation that it has locked. */
export interface Known {
  facts: Facts;
  observation: Observation | null;
  secretVersions: Readonly<Record<string, number>>;
  /** The same secrets, sealed; null where only their versions were read. */
  sealed: readonly SealedSecretRow[] | null;
  approval: ApprovalRecord | null;
}

export interface Judging extends Planned, Known {
  deps: InvocationDependencies;
  tx: EnvironmentTransaction;
  work: InvocationWork;
  now: Date;
  /** Set where the dispatch may be claimed in this transaction. */
  fence: SendFence | null;
}

/**
 * Reads what an invocation is judged by, but for the impact limits. The credentials of the requester and the approvers are locked
 * until the transaction ends, so that what is read of them holds until the mark is committed.
 */
export async function readFacts(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  { descriptor, effectId, prepared }: Planned,
  { givenUp, now, mayClaim }: { givenUp: GivenUp | null; now: Date; mayClaim: boolean },
): Promise<Known> {
  const { approvalId } = work;
  const mayHaveWaited = work.runId !== null && (approvalId !== null || work.hasDependencies);
  const names = descriptor.secretNames(work.definition);
  const bodyParts = prepared.kind === 'invalid' ? [] : prepared.request.bodyParts;
  // Sent together, and answered in order: the approval is read after the credentials of its deciders are locked.
  const [standing, { secretVersions, sealed }, observation, record, , approval, dependencies, cancelledRun, files] =
    await tx.inOrder(
      () => lockCredentials(tx, work),
      () => readSecrets(tx, names, mayClaim),
      descriptor.inspects ? () => readLatestObservation(tx, work.id) : null,
      work.preview === null ? null : () => readBinding(tx, work.id),
      // The workflow that awaited the approval may have been terminated. Its successor has seen the end of it here.
      approvalId === null ? null : () => recordAwaitedStatus(tx, approvalId),
      approvalId === null ? null : () => approvalOf(tx, approvalId),
      work.hasDependencies ? () => findDependencies(tx, work.id) : null,
      mayHaveWaited ? () => readCancelledRun(tx, work.id) : null,
      () => checkFiles(tx, filesIn(bodyParts)),
    );
  const impact = impactOfWork(work, descriptor, observation);
  const facts: Facts = {
    halt: work.haltedReason,
    action: { name: work.actionName, isArchived: work.actionArchived },
    requester: requesterRefusal(standing, work.requestedBy),
    request: requestRefusal(work, prepared),
    provider: observation?.refusal ?? null,
    impact,
    verdict: impact?.ok ? await decidePolicy(tx, work, impact.quantities, now) : null,
    consent: consentOf(work, approval),
    binding: record === null ? null : bindingNow({ ...work, effectId }, { descriptor, prepared, record, observation }),
    missingSecrets: names.filter((name) => secretVersions[name] === 0),
    files,
    // What was waited for may come about before the signal that the run was cancelled.
    dependencies: cancelledRun
      ? withdrawnWithRun(dependencies ?? [], cancelledRun.hasWaited, approvalId)
      : judgedDependencies(dependencies ?? [], givenUp),
    limits: null,
    isReadOutdated: descriptor.inspects && isOutdated(observation, approval, now),
  };
  return { facts, observation, secretVersions, sealed, approval };

  function bindingNow(
    bound: InvocationWork,
    read: Omit<Parameters<typeof bindingRefusal>[1], 'secretVersions' | 'now'>,
  ) {
    const isUnread = descriptor.inspects && observation === null;
    return isUnread ? null : bindingRefusal(bound, { ...read, secretVersions, now });
  }
}

/** An execution that may claim the dispatch reads the sealed secrets, and opens them after the commit. */
async function readSecrets(
  tx: EnvironmentTransaction,
  names: readonly string[],
  mayClaim: boolean,
): Promise<Pick<Known, 'secretVersions' | 'sealed'>> {
  if (!mayClaim) return { secretVersions: await readSecretVersions(tx, names), sealed: null };
  const sealed = await readSealedSecrets(tx, names);
  return { secretVersions: versionsOf(names, sealed), sealed };
}

/** Who agreed to an approval that is over; the caller has locked their credentials. */
async function approvalOf(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalRecord> {
  const approval = await getApproval(tx, approvalId);
  if (approval?.status === 'approved') return approval;
  throw new Error(`approval ${approvalId} is ${approval?.status ?? 'gone'}: its invocation cannot be sent`);
}

function consentOf(work: InvocationWork, approval: ApprovalRecord | null): Consent {
  if (approval === null) return work.hasDependencies && work.effectId !== null ? 'let_through' : 'none';
  const { id, quorum, requestedBy, previewId, bindingDigest } = approval;
  return {
    id,
    isOfBinding: previewId === work.preview?.id && bindingDigest === work.preview.bindingDigest,
    quorum,
    requestedBy,
    approvedBy: standingApprovals(approval).map(({ principal }) => principal),
  };
}

/** That of the effect, once there is one; null where only the provider's record tells, and it is not read yet. */
function impactOfWork(
  { impact, definition, input }: InvocationWork,
  descriptor: AdapterDescriptor,
  observation: Observation | null,
): DeclaredImpact | null {
  if (impact !== null) return { ok: true, quantities: impact };
  if (descriptor.inspects && observation === null) return null;
  return impactOf(descriptor, definition, input, observation?.preconditions ?? null);
}

/** A read for an invocation takes a minute at most, retries included. */
const OBSERVATION_AGE_MS_MAX = 120_000;

/** The provider is read again after people agreed, and after a wait for other effects, which may take a day. */
function isOutdated(read: RecordedObservation | null, approval: ApprovalRecord | null, now: Date): boolean {
  if (read === null) return true;
  const decidedAtMs = approval?.decidedAt?.getTime() ?? 0;
  return read.recordedAt.getTime() < decidedAtMs || now.getTime() - read.observedAt.getTime() > OBSERVATION_AGE_MS_MAX;
}

/** A plain invocation without an approval is bound only to its version. */
function requestRefusal(work: InvocationWork, prepared: Preparation): Refusal | null {
  const isBound = work.definition.governed || work.approvalId !== null;
  if (isBound && work.currentVersionId !== work.versionId) {
    return {
      code: 'action_version_changed',
      message: `action ${work.actionName} has a newer version than the one that was asked for`,
      details: { versionId: work.versionId, currentVersionId: work.currentVersionId },
    };
  }
  if (prepared.kind === 'refused') return prepared.refusal;
  if (work.requestDigest === null) {
    if (prepared.kind === 'ready') return null;
    // The admission rendered the same templates, so only a worker of another version can get here.
    throw new Error(`invocation ${work.id} was admitted with a request that does not render`);
  }
  if (prepared.kind === 'ready' && requestDigestOf(prepared) === work.requestDigest) return null;
  return { code: 'digest_mismatch', message: 'the request would differ from the one that the effect is bound to' };
}
