import { type EffectDetail, getEffect } from '../../db/effects/queries.ts';
import { requireReadRoom } from '../../db/effects/reconciliation.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { READS_PER_EFFECT_MAX } from '../../domain/reconciliation/reads.ts';
import { acceptedEffect, effectParams, effectSchema, presentEffect } from '../effects/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import { reconcileNow } from './reconciliation-workflows.ts';

/** A read takes at most half a minute; then the reply says that it is under way. */
const READ_WAIT_MS = 45_000;

export const reconcileEffectRoute = defineRoute({
  of: 'environment',
  id: 'effects.reconcile',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/reconcile',
  summary: 'Look up the outcome of an effect now',
  description:
    'Reads the effect at its provider at once, without waiting for the schedule, and answers the effect as it is after that ' +
    'read; 202 if the read is still under way. It only reads, so it may be repeated. If the scheduled reads were exhausted, it ' +
    'is one read more; only where that finds the provider still working, the daily reads begin. ' +
    `Each read is kept: an effect that was read ${READS_PER_EFFECT_MAX} times answers 429.`,
  scope: 'actions:resolve',
  role: 'admin',
  request: { params: effectParams },
  response: { 200: effectSchema, 202: effectSchema },
  accepted: acceptedEffect,
  errors: ['CONFLICT', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  ownsItsTransaction: 'Its audit entry commits first; a workflow reads the provider before the answer is read.',
  audited: 'recorded',
  async handler({ params, caller, deps, transaction, recordAudit }) {
    const read = (): Promise<EffectDetail | null> =>
      deps.db.withEnvironment(caller.tenant, (tx) => getEffect(tx, params.id));
    const effect = await transaction(async (tx) => {
      const found = await getEffect(tx, params.id);
      if (!found) throw notFound('effect');
      if (found.stage !== 'reconciling') {
        throw new ServiceError('CONFLICT', {
          message: `The effect is ${found.stage}, its outcome ${found.outcome}: there is nothing to reconcile.`,
        });
      }
      await requireReadRoom(tx, found.invocationId);
      await recordAudit(tx, {
        action: 'effect.reconciliation_requested',
        target: { type: 'effect', id: found.id },
        details: { exhausted: found.reconcileExhausted },
      });
      return found;
    });
    const ref = {
      ...caller.tenant,
      invocationId: effect.invocationId,
      effectId: effect.id,
      actionName: effect.actionName,
      grade: effect.grade,
    };
    try {
      const reconciled = await reconcileNow(deps.temporal, ref, {
        waitMs: READ_WAIT_MS,
        environmentName: caller.environment.name,
        taskQueue: deps.taskQueue,
      });
      const data = presentEffect((await read()) ?? effect);
      return { status: reconciled === 'read' ? 200 : 202, data };
    } catch (error) {
      throw new ServiceError('SERVICE_UNAVAILABLE', {
        message: 'The provider could not be read now. Send it again; reconciliation goes on by its schedule.',
        log: `could not reconcile ${effect.id} now`,
        cause: error,
      });
    }
  },
});
