import { appendEvidence } from '../../db/effects/evidence.ts';
import { markReconciliationExhausted, planReconciliation as writePlan } from '../../db/effects/reconciliation.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import { readProgress, type ReconciliationProgress } from '../../db/reconciliation/reversal.ts';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { settle } from '../invocations/settle-invocation.ts';
import { RecordGone } from '../../domain/record-gone.ts';

export interface BegunReconciliation extends ReconciliationProgress {
  state: InvocationState;
}

/** A check without a read: a worker may have recorded late. Also returns the position in the schedule. */
export function beginReconciliation(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef): Promise<BegunReconciliation> =>
    deps.db.withEnvironment(input, async (tx) => {
      const work = await lockInvocationWork(tx, input.invocationId);
      if (!work) throw new RecordGone(`invocation ${input.invocationId} was dispatched and is gone`);
      const state = await settle(tx, work);
      return { state, ...(await readProgress(tx, input.effectId)) };
    });
}

/** Records the time of the next read (ISO). `_reads` is an argument of workflows that are under way. */
export function planReconciliation(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef, _reads: number, nextAt: string): Promise<void> => {
    await deps.db.withEnvironment(input, (tx) => writePlan(tx, input.effectId, new Date(nextAt)));
  };
}

/**
 * Records, once, that the schedule ended with the outcome open: a person, a manual read or a late answer must settle.
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
