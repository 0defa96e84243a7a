import { claimDispatch, type ClaimedDispatch, isDispatchUnclaimed } from '../../db/attempts/dispatches.ts';
import type { Preparation, PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import { Deadline } from '../../domain/deadline.ts';
import { ACTION_TIMEOUT_MS_MAX } from '../../domain/actions.ts';
import { DISPATCH_MARGIN_MS } from '../../domain/heartbeats.ts';
import { isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import type { Attachment } from '../../domain/files/attachments.ts';
import { refusalBy } from '../../domain/invocations/judgement.ts';
import { requesterRefusal } from '../../domain/invocations/requester.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { InvocationRef, InvocationState } from '../../domain/refs.ts';
import { replacedSecret } from '../../domain/secret-refusals.ts';
import type { Adapter, DispatchResult } from '../adapters/adapter.ts';
import type { EgressMeter } from '../adapters/http-request/exchange.ts';
import type { SendFence } from '../adapters/send-fence.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { attachedBytes, checkBytes, checkFiles, filesIn } from '../files/attached-bytes.ts';
import { type Claim, type ClaimedAtOnce, claimInTurn, type ClaimedInTurn } from '../in-flight/claim-in-turn.ts';
import { openSealed, openSecrets } from '../secrets/open-secrets.ts';
import { withoutMessage } from '../secrets/without-message.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { withHeartbeats } from '../with-heartbeats.ts';
import { prepareInvocation } from './prepare-invocation.ts';
import { observedOutcome, recordDispatch } from './record-dispatch.ts';

export interface DispatchInput extends InvocationRef {
  /** Settle in the transaction that records the answer: nothing else, such as a read-back, is needed first. */
  settles?: boolean;
  /** The action's time-out: how long its place is held at most. */
  timeoutMs?: number;
}

export type Dispatched =
  /** The call was made, or refused, and its end is on record. */
  | { seen: 'recorded'; outcome: Outcome }
  /** The same, and the invocation is settled by it. */
  | { seen: 'settled'; state: InvocationState }
  /** Another execution claimed the dispatch before: this one sent nothing and knows nothing. */
  | { seen: 'claimed_elsewhere' }
  /** The attempt had been abandoned meanwhile. The result of this call is recorded as a late answer, and settled the unknown outcome. */
  | { seen: 'too_late' }
  /** The workspace has its share of calls in flight. Nothing is claimed. */
  | NoPlace;

/**
 * The dispatch of a call that is long, or that had no place when it was judged. Claims the attempt row, once, and one of the
 * workspace's places in the same transaction; resolves the credentials; calls the adapter; records the end and releases the
 * place in one transaction. A crash before the claim: nothing was sent, as the row proves. Between claim and record: the outcome is
 * unknown, and nothing is sent again. After the record: the workflow settles from it, where it did not settle at once.
 */
export function dispatchEffect(deps: InvocationDependencies) {
  return async ({ settles = false, timeoutMs = ACTION_TIMEOUT_MS_MAX, ...ref }: DispatchInput): Promise<Dispatched> =>
    withHeartbeats(deps, () =>
      claimAndSend(deps, ref, { settles, timeoutMs, lastsMs: timeoutMs + DISPATCH_MARGIN_MS }),
    );
}

/** How a dispatch is claimed and recorded. */
export type HowSent = Required<Pick<DispatchInput, 'settles' | 'timeoutMs'>> & Pick<Claim, 'lastsMs'>;

/** Claims the attempt with a place, sends, and records the end. */
export async function claimAndSend(
  deps: InvocationDependencies,
  ref: InvocationRef,
  { settles, timeoutMs, lastsMs }: HowSent,
): Promise<Dispatched> {
  const { invocationId } = ref;
  const claimed = await claimInTurn(deps, ref, {
    holder: invocationId,
    timeoutMs,
    lastsMs,
    claim: async (tx) => {
      const dispatch = await claimDispatch(tx, invocationId);
      return dispatch && { dispatch, requester: requesterRefusal(dispatch.standing, dispatch.requestedBy) };
    },
    isUnclaimed: (tx) => isDispatchUnclaimed(tx, invocationId),
  });
  if (claimed === 'claimed_elsewhere') {
    deps.logger.warn(ref, 'dispatch was claimed before: nothing is sent');
    return { seen: 'claimed_elsewhere' };
  }
  return isWithoutPlace(claimed) ? claimed : sendClaimed(deps, ref, claimed, settles);
}

/** Sends what this execution has claimed, and records the end. */
export async function sendClaimed(
  deps: InvocationDependencies,
  ref: InvocationRef,
  { dispatch, unsent, fence, atOnce = null }: ClaimedInTurn,
  settles: boolean,
): Promise<Exclude<Dispatched, NoPlace>> {
  const startedAt = new Date();
  const egress: EgressMeter = { bytes: 0 };
  const result = unsent ?? (await send(deps, ref, dispatch, { fence, egress, atOnce }));
  const end = { result, startedAt, observedAt: new Date(), egressBytes: egress.bytes };
  const { inTime, state, next } = await recordDispatch(deps, ref, dispatch, end, { settles, atOnce });
  await tellNext(deps, 'dispatch', next);
  if (!inTime) return { seen: 'too_late' };
  return state ? { seen: 'settled', state } : { seen: 'recorded', outcome: observedOutcome(result) };
}

export interface Sending {
  fence: SendFence;
  egress: EgressMeter;
  kind?: 'dispatch' | 'replay';
  atOnce?: ClaimedAtOnce | null;
}

type Sendable = { adapter: Adapter; request: PreparedRequest; secrets: ReadonlyMap<string, string> };

/**
 * Prepares the request and sends it, once. The caller has claimed an attempt. A started call runs to its own time-out, even
 * while the worker stops: aborting it would turn a possible answer into an unknown outcome.
 */
export async function send(
  deps: InvocationDependencies,
  ref: InvocationRef,
  claimed: ClaimedDispatch,
  { fence, egress, kind = 'dispatch', atOnce = null }: Sending,
): Promise<DispatchResult> {
  const { definition } = claimed;
  let ready: Sendable | { refusal: Refusal };
  try {
    ready = await makeReady(deps, ref, claimed, { kind, atOnce });
  } catch (error) {
    // Nothing was sent yet, and now nothing will be. That certainty is worth more than an unknown outcome.
    deps.logger.error({ ...ref, err: error }, 'could not make a dispatch ready');
    return { kind: 'not_sent', reason: 'the request could not be made ready on our side' };
  }
  if ('refusal' in ready) return { kind: 'refused', refusal: ready.refusal };
  const { adapter, request, secrets } = ready;
  try {
    const { timeoutMs } = definition;
    const { workspaceId, environmentId, invocationId } = ref;
    const attached = (file: Attachment) => attachedBytes(deps.files, environmentId, file);
    const ids = { environmentId, invocationId, attemptId: claimed.attemptId };
    const watched = { kind: 'dispatch', workspaceId, ids, timeoutMs, fence } as const;
    return await deps.watchdog.run(watched, (signal) =>
      adapter.dispatch({ definition, request, secrets, kind, timeoutMs, signal, egress, attached }),
    );
  } catch (error) {
    deps.logger.error({ ...ref, failure: withoutMessage(error) }, 'an adapter threw out of a dispatch');
    return { kind: 'no_answer', reason: 'the call broke off on our side' };
  }
}

/** Resolves the credentials and fills them into the request, at the last moment before it is sent. */
async function makeReady(
  deps: InvocationDependencies,
  ref: InvocationRef,
  claimed: ClaimedDispatch,
  { kind, atOnce }: { kind: 'dispatch' | 'replay'; atOnce: ClaimedAtOnce | null },
): Promise<Sendable | { refusal: Refusal }> {
  const { definition } = claimed;
  const adapter = deps.adapterFor(definition.adapter);
  const names = adapter.descriptor.secretNames(definition);
  const credentials =
    atOnce === null ? await openSecrets(deps, ref, names) : openSealed(deps, ref, names, atOnce.sealed);
  // With another credential the request is not what was approved. A replay might even reach another account, where the
  // provider does not know the key and would repeat the effect.
  const since = kind === 'replay' ? 'the first request' : 'the preview';
  const binding = replacedSecret(claimed.boundSecretVersions ?? {}, credentials.versions, since);
  const unopened = refusalBy({ binding, missingSecrets: credentials.missing });
  if (unopened !== null) return { refusal: unopened };
  const bound = boundRequest(adapter, claimed, credentials.values, atOnce?.prepared);
  if ('refusal' in bound) return bound;
  const refusal = await checkAttached(deps, ref, bound.request);
  return refusal === null ? { adapter, request: bound.request, secrets: credentials.values } : { refusal };
}

/** Within the margin that the activity has beside the action's own time-out. */
const FILES_TIMEOUT_MS = 30_000;

/** Whether the files of the request are what it is bound to, on record and byte by byte. */
async function checkAttached(
  deps: InvocationDependencies,
  ref: InvocationRef,
  { bodyParts }: PreparedRequest,
): Promise<Refusal | null> {
  const files = filesIn(bodyParts);
  if (files.length === 0) return null;
  const refusal = await deps.db.withEnvironment(ref, (tx) => checkFiles(tx, files));
  if (refusal !== null) return refusal;
  using deadline = new Deadline(FILES_TIMEOUT_MS);
  return await checkBytes(deps.files, ref.environmentId, files, deadline.signal);
}

/** The request with its credentials, if its shown form still equals the one that the effect is bound to. `prepared`: it is bound to this one. */
function boundRequest(
  adapter: Adapter,
  claimed: ClaimedDispatch,
  secrets: ReadonlyMap<string, string>,
  prepared?: Preparation,
): { request: PreparedRequest } | { refusal: Refusal } {
  const invocation = { ...claimed, id: claimed.invocationId };
  const shown = prepared ?? prepareInvocation(adapter.descriptor, invocation);
  if (shown.kind === 'refused') return { refusal: shown.refusal };
  if (
    shown.kind === 'invalid' ||
    (prepared === undefined && claimed.requestDigest !== null && requestDigestOf(shown) !== claimed.requestDigest)
  ) {
    return {
      refusal: {
        code: 'digest_mismatch',
        message: 'the request would differ from the one that the effect is bound to',
      },
    };
  }
  const filled = prepareInvocation(adapter.descriptor, invocation, secrets);
  if (filled.kind === 'refused') return { refusal: filled.refusal };
  if (filled.kind === 'invalid') {
    const problems = filled.issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    return {
      refusal: { code: 'secret_missing', message: `a secret cannot stand where the action puts it (${problems})` },
    };
  }
  return { request: filled.request };
}
