import { getEffect } from '../../db/effects/get-effect.ts';
import { readInvocationState } from '../../db/invocations/read-invocation-state.ts';
import { lockResolvableEffect } from '../../db/reconciliation/lock-resolvable.ts';
import { notFound } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { effectParams, effectSchema, presentEffect } from '../effects/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import { tellOfResolution } from './reconciliation-workflows.ts';
import { auditResolution, refuseRequester, resolve } from './resolve.ts';
import { resolveBody } from './schemas.ts';

export const resolveEffectRoute = defineRoute({
  id: 'effects.resolve',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/resolve',
  summary: 'Record what became of an unknown effect',
  description:
    'For an outcome that reconciliation cannot find out: you looked it up at the provider, and say how you know. Nothing is sent. ' +
    'The resolution is kept for good, settles the allowance that the effect holds, and ends its reconciliation. A `succeeded` of ' +
    'yours grades `acknowledged` with verification `manual`. The credential that requested the invocation cannot resolve it; what ' +
    'is not unknown (or still pending after thirty days of reads) answers 409. The original Idempotency-Key stays taken.',
  scope: 'actions:resolve',
  role: 'admin',
  request: { params: effectParams, body: resolveBody },
  response: { 200: effectSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  idempotent: true,
  async handler({ params, body, caller, actor, requestId, deps, recordReply }) {
    const { reply, dependents } = await deps.db.withEnvironment(caller.tenant, async (tx) => {
      const resolvable = await lockResolvableEffect(tx, params.id);
      if (!resolvable) throw notFound('effect');
      refuseRequester(actor, resolvable);
      await resolve(tx, resolvable, { body, actor });
      const state = await readInvocationState(tx, resolvable.invocationId);
      const effect = await getEffect(tx, params.id);
      if (!effect) throw notFound('effect');
      await auditResolution(tx, { caller, actor, requestId, body }, { type: 'effect', id: effect.id });
      const answered = await recordReply(tx, { status: 200, data: presentEffect(effect) });
      return { reply: answered, dependents: state.dependents ?? [] };
    });
    await tell(deps, params.id, dependents);
    return reply;
  },
});

/** The resolution stands whatever becomes of this: the reconciliation finds it at its next look, and who waits for it too. */
async function tell(deps: ApiDependencies, effectId: string, dependents: string[]): Promise<void> {
  try {
    await tellOfResolution(deps.temporal, effectId, dependents);
  } catch (error) {
    deps.logger.warn({ effectId, err: error }, 'could not tell the workflows of a resolution: they look by themselves');
  }
}
