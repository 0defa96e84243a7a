import { ServiceError } from '../../domain/errors.ts';
import { READS_PER_EFFECT_MAX } from '../../domain/reconciliation/reads.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** Throws QUOTA_EXCEEDED where an effect was read so often that it is read no more on request. Requests at once may pass together. */
export async function requireReadRoom(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  const row = await tx.row<{ reads: number }>(
    'require_read_room',
    "SELECT count(*)::int AS reads FROM attempts WHERE invocation_id = :invocationId AND kind = 'reconcile'",
    { invocationId },
  );
  if ((row?.reads ?? 0) < READS_PER_EFFECT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `This effect was read ${READS_PER_EFFECT_MAX} times, and each read is kept. Planned reads go on. ` +
      'Look its outcome up at the provider, and record it: POST …/resolve.',
  });
}

/** What a read-back needs of an effect. */
export interface EffectWork {
  definition: ActionDefinition;
  input: JsonObject;
  operationKey: string;
  outcome: Outcome;
  /**
   * Seconds since the last moment at which a request may have been under way: the end of the newest call, or the latest end that a
   * call without a recorded end can have. Negative while such a call may still run.
   */
  silentSeconds: number;
  /** A response to the dispatch or to a replay, where one was seen. An accepting response comes before a rejecting one. */
  response: ProviderResponse | null;
  /** The number of reads that found nothing since the newest call began. */
  absentReads: number;
}

/**
 * The age of an absence counts from the call and not from the fence: a dispatch may wait for its turn for an hour, and a call whose
 * worker was lost may run until its time-out.
 */
export async function readEffectWork(
  tx: EnvironmentTransaction,
  effectId: string,
  { graceMs }: { graceMs: number },
): Promise<EffectWork> {
  const work = await tx.row<EffectWork>(
    'read_effect_work',
    `SELECT v.definition, i.input, i.operation_key AS "operationKey", e.outcome,
       extract(epoch FROM now() - COALESCE(c.latest_end, e.first_dispatched_at))::float8 AS "silentSeconds",
       (SELECT s.response FROM attempts s WHERE s.invocation_id = i.id AND s.kind IN ('dispatch', 'replay') AND s.response IS NOT NULL
        ORDER BY s.observed_outcome IN ('succeeded', 'pending') DESC, s.number DESC LIMIT 1) AS response,
       (SELECT count(*)::int FROM evidence p WHERE p.effect_id = e.id AND p.source = 'provider_lookup'
          AND p.details ->> 'kind' = 'absent' AND p.recorded_at >= COALESCE(c.newest_claim, '-infinity')) AS "absentReads"
     FROM effects e JOIN invocations i ON i.id = e.invocation_id JOIN action_versions v ON v.id = e.version_id
       CROSS JOIN LATERAL (
         SELECT max(a.claimed_at) AS newest_claim, max(CASE a.status WHEN 'completed' THEN a.finished_at
             ELSE a.claimed_at + make_interval(secs => (:graceMs + (v.definition ->> 'timeoutMs')::float8) / 1000) END) AS latest_end
         FROM attempts a WHERE a.invocation_id = i.id AND a.kind IN ('dispatch', 'replay') AND a.claimed_at IS NOT NULL) c
     WHERE e.id = :effectId AND e.first_dispatched_at IS NOT NULL`,
    { effectId, graceMs },
  );
  if (!work) throw new RecordGone(`effect ${effectId} is gone, or was never dispatched`);
  return work;
}

/** Records when the effect is read next. It also reopens an exhausted schedule, where there is something to wait for again. */
export async function planReconciliation(tx: EnvironmentTransaction, effectId: string, nextAt: Date): Promise<void> {
  await tx.raw(
    'plan_reconciliation',
    `UPDATE effects SET reconcile_next_at = ?, reconcile_exhausted = false, updated_at = now() WHERE id = ? AND stage = 'reconciling'`,
    [nextAt, effectId],
  );
}

/** Marks the schedule as exhausted. Returns false where it was so before, or the effect was settled meanwhile. */
export async function markReconciliationExhausted(tx: EnvironmentTransaction, effectId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'mark_reconciliation_exhausted',
    `UPDATE effects SET reconcile_next_at = NULL, reconcile_exhausted = true, updated_at = now()
     WHERE id = ? AND stage = 'reconciling' AND NOT reconcile_exhausted`,
    [effectId],
  );
  return rowCount === 1;
}
