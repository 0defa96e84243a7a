import { getInvocation } from '../../db/invocations/queries.ts';
import { lockResolvableInvocation } from '../../db/reconciliation/resolution.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { invocationParams, invocationSchema, presentInvocation } from '../invocations/schemas.ts';
import { resolutionEntry, resolve } from './resolve.ts';
import { resolveBody } from './schemas.ts';

export const resolveInvocationRoute = defineRoute({
  of: 'environment',
  id: 'invocations.resolve',
  method: 'POST',
  path: '/api/v2/actions/invocations/{id}/resolve',
  summary: 'Record what became of an unknown invocation',
  description:
    'For an invocation of an action that is not governed. If an effect governs it, 409 `EFFECT_RESOLUTION_REQUIRED` names ' +
    "the effect to resolve. Nothing is sent. `succeeded` is billed; `failed` gives the execution of the month and the key's " +
    'budget back.\n\n' +
    'The credential that requested the invocation cannot resolve it (403). 409: its outcome is known. The resolution is ' +
    'kept for good, and the original Idempotency-Key stays used.',
  scope: 'actions:resolve',
  role: 'admin',
  stepUp: true,
  request: { params: invocationParams, body: resolveBody },
  response: { 200: invocationSchema },
  errors: ['CONFLICT', 'EFFECT_RESOLUTION_REQUIRED'],
  idempotent: true,
  async change(tx, { params: { id }, body, actor }) {
    const resolvable = await lockResolvableInvocation(tx, id);
    if (!resolvable) throw notFound('invocation');
    if (resolvable.effect !== null) {
      throw new ServiceError('EFFECT_RESOLUTION_REQUIRED', { details: { effectId: resolvable.effect.id } });
    }
    await resolve(tx, resolvable, { body, actor });
    const invocation = await getInvocation(tx, id);
    if (!invocation) throw notFound('invocation');
    return {
      reply: { status: 200, data: presentInvocation(invocation) },
      audit: resolutionEntry(body, { type: 'invocation', id }),
    };
  },
});
