import { startReadAttempt } from '../../db/attempts/replays.ts';
import { completeAttempt } from '../../db/attempts/ends.ts';
import { appendEvidence } from '../../db/effects/evidence.ts';
import { type EffectWork, readEffectWork } from '../../db/effects/reconciliation.ts';
import { setProviderReference } from '../../db/effects/settlement.ts';
import { releasePlace } from '../../db/in-flight/places.ts';
import { isWithoutPlace, type NoPlace } from '../../domain/in-flight.ts';
import { lockInvocation, lockInvocationWork } from '../../db/invocations/locks.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import type { EffectRef } from '../../domain/refs.ts';
import { missingSecrets } from '../../domain/secret-refusals.ts';
import type { Adapter, ReadBackResult } from '../adapters/adapter.ts';
import { WATCHDOG_GRACE_MS } from '../adapters/watchdog.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { readInTurn } from '../in-flight/read-in-turn.ts';
import { tellNext } from '../in-flight/tell-next.ts';
import { settle } from '../invocations/settle-invocation.ts';
import type { OpenedSecrets } from '../secrets/open-secrets.ts';
import { openSecretsOrNone, UNOPENED } from '../secrets/open-secrets-or-none.ts';
import { withoutMessage } from '../secrets/without-message.ts';

export interface ReadBack {
  /** The outcome that the read implies; `unknown` where it proves nothing. */
  impliedOutcome: Extract<Outcome, 'succeeded' | 'failed' | 'pending' | 'unknown'>;
}

export interface ReadBackInput extends EffectRef {
  /** The holder of the read's place, which the workflow names. */
  holder?: string;
}

/** A slow read is retried later. The action's own time-out may be five minutes. */
const READ_TIMEOUT_MS_MAX = 30_000;

/** Appends what `verify` reads. Repeatable. A read that decides the outcome settles it in the same transaction. */
export function readBackEffect(deps: ActivityDependencies) {
  return async ({ holder: named, ...input }: ReadBackInput): Promise<ReadBack | NoPlace> => {
    const holder = named ?? input.effectId;
    const begun = await readInTurn(
      deps,
      input,
      { holder, timeoutMs: READ_TIMEOUT_MS_MAX },
      {
        lock: (tx) => lockInvocation(tx, input.invocationId),
        begin: async (tx) => ({
          work: await readEffectWork(tx, input.effectId, { graceMs: WATCHDOG_GRACE_MS }),
          attemptId: await startReadAttempt(tx, input.invocationId),
        }),
      },
    );
    if (isWithoutPlace(begun)) return begun;
    const { work, attemptId } = begun;
    const adapter = deps.adapterFor(work.definition.adapter);
    const { invocationId, effectId } = input;
    const names = adapter.descriptor.secretNames(work.definition);
    const credentials = await openSecretsOrNone(deps, input, names, { invocationId, effectId });
    const result = await read(deps, input, work, adapter, credentials);
    const impliedOutcome = whatItImplies(result, work);
    const next = await deps.db.withEnvironment(input, async (tx) => {
      const invocation = await lockInvocationWork(tx, input.invocationId);
      const response = result.kind === 'matched' || result.kind === 'absent' ? result.response : null;
      await completeAttempt(tx, attemptId, {
        observedOutcome: impliedOutcome,
        refusal: null,
        error: null,
        response: null,
      });
      await appendEvidence(tx, {
        effectId: input.effectId,
        source: 'provider_lookup',
        observedAt: new Date(),
        impliedOutcome,
        summary: result.summary,
        details: { kind: result.kind, ...(response ? { status: response.status } : {}) },
        actor: { type: 'service', id: null },
      });
      if (result.kind === 'matched' && result.providerReference !== null) {
        await setProviderReference(tx, input.effectId, result.providerReference);
      }
      if (invocation && impliedOutcome !== 'unknown') await settle(tx, invocation);
      return releasePlace(tx, { kind: 'provider_read', holder, most: deps.inFlightCaps.provider_read });
    });
    await tellNext(deps, 'provider_read', next);
    return { impliedOutcome };
  };
}

async function read(
  deps: ActivityDependencies,
  { workspaceId, environmentId, invocationId, effectId }: EffectRef,
  work: EffectWork,
  adapter: Adapter,
  credentials: OpenedSecrets | null,
): Promise<ReadBackResult> {
  if (credentials === null) return cannotRead(UNOPENED);
  const { values: secrets, missing } = credentials;
  if (missing.length > 0) return cannotRead(missingSecrets(missing).message);
  const { definition, input, operationKey, response } = work;
  try {
    const timeoutMs = Math.min(definition.timeoutMs, READ_TIMEOUT_MS_MAX);
    const identity = { invocationId, effectId, operationKey };
    const watched = {
      kind: 'provider_read',
      workspaceId,
      ids: { environmentId, invocationId, effectId },
      timeoutMs,
    } as const;
    return await deps.watchdog.run(watched, (signal) =>
      adapter.readBack({ definition, input, identity, response, secrets, timeoutMs, signal }),
    );
  } catch (error) {
    deps.logger.error(
      { invocationId, effectId, failure: withoutMessage(error) },
      'an adapter threw out of a read-back',
    );
    return { kind: 'inconclusive', summary: 'the read-back broke off on our side', response: null };
  }
}

const cannotRead = (why: string): ReadBackResult => ({ kind: 'unreadable', summary: `cannot read back: ${why}` });

/** Absence proves nothing until the action's `absenceProves` holds: so many reads, so long after the newest call. */
function whatItImplies(result: ReadBackResult, work: EffectWork): ReadBack['impliedOutcome'] {
  if (result.kind === 'matched') return result.outcome;
  const rule = work.definition.verify?.absenceProves;
  if (result.kind !== 'absent' || !rule || work.outcome !== 'unknown') return 'unknown';
  return work.absentReads + 1 >= rule.reads && work.silentSeconds >= rule.minAgeSeconds ? 'failed' : 'unknown';
}
