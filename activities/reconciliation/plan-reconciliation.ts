import { appendEvidence } from '../../db/effects/append-evidence.ts';
import { markReconciliationExhausted, planReconciliation as writePlan } from '../../db/effects/plan-reconciliation.ts';
import { lockInvocationWork } from '../../db/invocations/lock-invocation-work.ts';
import { readProgress, type ReconciliationProgress } from '../../db/reconciliation/read-progress.ts';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { settle } from '../invocations/settle-invocation.ts';

export interface BegunReconciliation extends ReconciliationProgress {
  state: InvocationState;
}

/**
 * A first look without a read: a worker that was cut off, not dead, may have recorded the answer late. And where the schedule
 * stands by the record, for a reconciliation that was terminated, or had come to its end, and is taken up again.
 */
export function beginReconciliation(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef): Promise<BegunReconciliation> =>
    deps.db.withEnvironment(input, async (tx) => {
      const work = await lockInvocationWork(tx, input.invocationId);
      if (!work) throw new Error(`invocation ${input.invocationId} was dispatched and is gone`);
      const state = await settle(tx, work);
      return { state, ...(await readProgress(tx, input.effectId)) };
    });
}

/**
 * Puts on record when the effect is read next, for whoever looks at it meanwhile. `nextAt` is in ISO form. The reads that were
 * made are counted as they are made; `_reads` is what workflows that are under way hand over.
 */
export function planReconciliation(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef, _reads: number, nextAt: string): Promise<void> => {
    await deps.db.withEnvironment(input, (tx) => writePlan(tx, input.effectId, new Date(nextAt)));
  };
}

/**
 * The schedule is at its end and the outcome is still open: only a person, a read by hand, or the provider's late word can settle
 * it. Said once, in the evidence and in the log.
 */
export function exhaustReconciliation(deps: Pick<ActivityDependencies, 'db' | 'logger'>) {
  return async (input: EffectRef, reads: number): Promise<void> => {
    const exhausted = await deps.db.withEnvironment(input, async (tx) => {
      // The invocation first, as every settlement locks them.
      await lockInvocationWork(tx, input.invocationId);
      if (!(await markReconciliationExhausted(tx, input.effectId))) return false;
      await appendEvidence(tx, {
        effectId: input.effectId,
        source: 'system',
        observedAt: new Date(),
        impliedOutcome: null,
        summary: `reconciliation is exhausted after ${reads} scheduled reads: a person must resolve it`,
        details: { event: 'effect.exhausted', reads },
        actor: { type: 'service', id: null },
      });
      return true;
    });
    if (exhausted) deps.logger.warn({ ...input, reads }, 'effect.exhausted: a person must resolve it');
  };
}
