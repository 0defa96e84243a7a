import { appendEvidence } from '../../db/effects/evidence.ts';
import { readDispatchRecord } from '../../db/effects/settlement.ts';
import { lockInvocationWork } from '../../db/invocations/locks.ts';
import { readInvocationState } from '../../db/invocations/queries.ts';
import { planReversalRead as writePlan, readProgress, writeReversal } from '../../db/reconciliation/reversal.ts';
import type { EffectRef, InvocationState } from '../../domain/refs.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** The recorded position of the watch. The sweep starts it, and restarts it where it was terminated. */
export function beginReversalWatch(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef): Promise<{ state: InvocationState; settledForMs: number }> =>
    deps.db.withEnvironment(input, async (tx) => ({
      state: await readInvocationState(tx, input.invocationId),
      settledForMs: (await readProgress(tx, input.effectId)).settledForMs,
    }));
}

/** Returns null when the watch is over. */
export function planReversalRead(deps: Pick<ActivityDependencies, 'db'>) {
  return async (input: EffectRef, nextAt: string | null): Promise<void> => {
    await deps.db.withEnvironment(input, (tx) =>
      writePlan(tx, input.effectId, nextAt === null ? null : new Date(nextAt)),
    );
  };
}

/** Fails a succeeded effect where the newest record says so, unless a person resolved it. Idempotent. */
export function settleReversal(deps: Pick<ActivityDependencies, 'db' | 'logger'>) {
  return async (input: EffectRef): Promise<InvocationState> => {
    const { state, reversed } = await deps.db.withEnvironment(input, async (tx) => {
      await lockInvocationWork(tx, input.invocationId);
      const record = await readDispatchRecord(tx, input.invocationId);
      const newest = record?.evidence.findLast(
        ({ source, impliedOutcome }) => source === 'provider_lookup' && impliedOutcome !== 'unknown',
      );
      const summary = `reversed by the provider after it had succeeded: ${newest?.summary ?? ''}`;
      const moved = newest?.impliedOutcome === 'failed' && (await writeReversal(tx, input.invocationId, summary));
      if (moved) {
        await appendEvidence(tx, {
          effectId: input.effectId,
          source: 'system',
          observedAt: new Date(),
          impliedOutcome: 'failed',
          summary,
          details: { event: 'effect.reversed' },
          actor: { type: 'service', id: null },
        });
      }
      return { state: await readInvocationState(tx, input.invocationId), reversed: moved };
    });
    if (reversed) deps.logger.warn({ ...input }, 'effect.reversed: it had succeeded, and failed after all');
    return state;
  };
}
