import { getEffect } from '../../db/effects/queries.ts';
import { readInvocationState } from '../../db/invocations/queries.ts';
import { lockResolvableEffect } from '../../db/reconciliation/resolution.ts';
import { notFound } from '../../domain/errors.ts';
import { effectParams, effectSchema, presentEffect } from '../effects/schemas.ts';
import { defineRoute } from '../http/define-route.ts';
import { tellOfResolution } from './reconciliation-workflows.ts';
import { resolutionEntry, resolve } from './resolve.ts';
import { resolveBody } from './schemas.ts';

export const resolveEffectRoute = defineRoute({
  of: 'environment',
  id: 'effects.resolve',
  method: 'POST',
  path: '/api/v2/actions/effects/{id}/resolve',
  summary: 'Record what became of an unknown effect',
  description:
    'For an outcome that reading cannot find out: you looked it up at the provider, and say how you know. Nothing is sent. ' +
    'The resolution is kept for good, settles what the effect has reserved, and ends its reconciliation. `succeeded` gives ' +
    'the grade `acknowledged` with verification `manual`.\n\n' +
    '403: the credential that requested the invocation cannot resolve it. 409: the outcome is known, or it is `pending` and ' +
    'the scheduled reads are not exhausted. The original Idempotency-Key stays used.',
  scope: 'actions:resolve',
  role: 'admin',
  stepUp: true,
  request: { params: effectParams, body: resolveBody },
  response: { 200: effectSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { id }, body, actor, deps }) {
    const resolvable = await lockResolvableEffect(tx, id);
    if (!resolvable) throw notFound('effect');
    await resolve(tx, resolvable, { body, actor });
    const { dependents } = await readInvocationState(tx, resolvable.invocationId);
    const effect = await getEffect(tx, id);
    if (!effect) throw notFound('effect');
    return {
      reply: { status: 200, data: presentEffect(effect) },
      audit: resolutionEntry(body, { type: 'effect', id }),
      after: () => tellOfResolution(deps.temporal, id, dependents ?? []),
    };
  },
});
