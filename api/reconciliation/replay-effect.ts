import { abandonAttempt, findAttempt } from '../../db/attempts/ends.ts';
import { startReplay } from '../../db/attempts/replays.ts';
import { getEffect } from '../../db/effects/queries.ts';
import { readHalt } from '../../db/environments/halt.ts';
import { lockResolvableEffect, type Resolvable } from '../../db/reconciliation/resolution.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { replayMarginSeconds } from '../../domain/reconciliation/replay.ts';
import type { ReplayEffectInput } from '../../temporal/reconciliation/replay-effect.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { acceptedEffect, effectParams, effectSchema, presentEffect } from '../effects/schemas.ts';
import { type Caller, defineRoute } from '../http/define-route.ts';
import { awaitReplay, startReplayWorkflow } from './reconciliation-workflows.ts';

/** Time beyond the action's own time-out for claim, record and settlement. */
const REPLY_MARGIN_MS = 10_000;

export const replayEffectRoute = defineRoute({
  of: 'environment',
  id: 'effects.replay',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/replay',
  summary: 'Send a lost request again under the same idempotency key',
  description:
    'Sends the same bytes again under the same idempotency key: the provider either does now what it never did, or repeats ' +
    'its first answer. Answers the effect as it is afterwards; 202 if the call is still under way.\n\n' +
    'It is allowed only while the outcome is unknown, if the adapter supports it (`capabilities.replay`), and safely within ' +
    '`capabilities.idempotencyWindowSeconds` of the first dispatch. One replay runs at a time. Otherwise 409.',
  scope: 'actions:resolve',
  role: 'admin',
  stepUp: true,
  request: { params: effectParams },
  response: { 200: effectSchema, 202: effectSchema },
  accepted: acceptedEffect,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  expensive: true,
  ownsItsTransaction: 'The fence of the replay commits first; its workflow runs before the answer is read.',
  audited: 'recorded',
  async handler({ params, caller, deps, transaction, recordAudit }) {
    const input = await transaction(async (tx): Promise<ReplayEffectInput> => {
      const resolvable = await lockResolvableEffect(tx, params.id);
      if (!resolvable) throw notFound('effect');
      const { effect, invocationId, actionName } = resolvable;
      const halt = await readHalt(tx);
      const why = halt === null ? whyNot(effect) : `the environment is halted: ${halt.reason}`;
      if (why !== null) throw new ServiceError('CONFLICT', { message: `Nothing was sent: ${why}.` });
      const attemptId = await startReplay(tx, invocationId);
      await recordAudit(tx, {
        action: 'effect.replayed',
        target: { type: 'effect', id: effect.id },
        details: { attemptId },
      });
      const { timeoutMs } = effect;
      const { workspaceId, environmentId } = caller.tenant;
      return { workspaceId, environmentId, invocationId, effectId: effect.id, actionName, attemptId, timeoutMs };
    });
    await start(deps, caller, input);
    const ended = await awaitReplay(deps.temporal, input.attemptId, input.timeoutMs + REPLY_MARGIN_MS);
    const effect = await deps.db.withEnvironment(caller.tenant, (tx) => getEffect(tx, params.id));
    if (!effect) throw notFound('effect');
    return { status: ended ? 200 : 202, data: presentEffect(effect) };
  },
});

/** Returns null when the same request may be sent again. */
function whyNot(effect: NonNullable<Resolvable['effect']>): string | null {
  if (effect.stage !== 'reconciling' || effect.outcome !== 'unknown') {
    return `the outcome is ${effect.outcome}, and only an unknown one is replayed`;
  }
  if (effect.ambiguous) {
    return 'a read found more than one record of it at the provider, and sending again could make another. Resolve it';
  }
  if (effect.openReplay) return 'another replay of this effect is under way; wait for its end';
  if (!effect.replays || effect.windowLeftSeconds === null) {
    return 'its adapter offers no replay: the provider would not know the request again. Reconcile or resolve it';
  }
  if (effect.windowLeftSeconds <= replayMarginSeconds(effect.timeoutMs)) {
    return 'the provider’s idempotency window is over: a replay could take effect a second time. Reconcile or resolve it';
  }
  return null;
}

/**
 * The first commit decides: this withdrawal, or the claim of a started workflow. A kill between fence and start leaves an unclaimed replay,
 * which the next read of the effect closes.
 */
async function start(deps: ApiDependencies, { tenant, environment }: Caller, input: ReplayEffectInput): Promise<void> {
  try {
    await startReplayWorkflow(deps.temporal, input, environment.name, deps.taskQueue);
  } catch (error) {
    const withdrawn = await deps.db.withEnvironment(tenant, async (tx) => {
      const attempt = await findAttempt(tx, input.attemptId);
      if (attempt.claimed || attempt.status !== 'started') return false;
      const end = { observedOutcome: 'not_dispatched', error: 'not sent: the replay could not be started' } as const;
      await abandonAttempt(tx, input.attemptId, end);
      return true;
    });
    if (!withdrawn) return;
    throw new ServiceError('SERVICE_UNAVAILABLE', {
      message: 'The replay was not started; nothing was sent. Send it again.',
      log: `could not start the replay ${input.attemptId}`,
      cause: error,
    });
  }
}
