import type { InvocationRef } from '../../domain/refs.ts';
import { withCompiledPolicies } from '../../domain/approval-policies/with-compiled-policies.ts';
import type { InvocationDependencies } from '../dependencies.ts';
import { evaluateInvocation, type Evaluation } from './evaluate-invocation.ts';
import { reserve } from './reserve-and-mark-dispatch.ts';

/**
 * Evaluates an invocation and, where it may proceed at once, reserves and marks its dispatch, in one transaction. `proceed`
 * says that the fence is written. `reserveAndMarkDispatch` reserves an invocation that had to wait. `observe` asks for this
 * activity again after the provider's record was read. Idempotent, as both parts are. (One transaction and one local
 * activity instead of two: docs/performance.md.)
 */
export function evaluateAndReserve(deps: InvocationDependencies) {
  return async (ref: InvocationRef): Promise<Evaluation> =>
    withCompiledPolicies(() =>
      deps.db.withEnvironment(ref, async (tx): Promise<Evaluation> => {
        const { evaluation, work, rendered } = await evaluateInvocation(deps, tx, ref);
        if (evaluation.decision !== 'proceed' || !work) return evaluation;
        const reservation = await reserve(deps, tx, work, { rendered });
        if (reservation.decision === 'depends') return { ...evaluation, decision: 'depends' };
        if (reservation.decision === 'observe') return reservation;
        return reservation.decision === 'refused' ? { ...reservation, effectId: evaluation.effectId } : evaluation;
      }),
    );
}
