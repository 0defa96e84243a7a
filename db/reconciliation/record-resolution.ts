import type { ImpactQuantity } from '../../domain/actions.ts';
import { newId } from '../../domain/ids.ts';
import type { PartialEffect } from '../../domain/lifecycle.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { settleReservations } from '../impact-limits/settle-reservations.ts';
import { announceSettlement } from '../invocations/announce-settlement.ts';
import type { ActorRecord } from '../invocations/records.ts';

export interface NewResolution {
  invocationId: string;
  /** Null for a plain invocation. */
  effectId: string | null;
  outcome: 'succeeded' | 'failed';
  previousOutcome: 'unknown' | 'pending';
  partialEffect: PartialEffect;
  settledImpact: ImpactQuantity[] | null;
  evidence: { summary: string; providerIds: Record<string, string>; url: string | null };
  resolvedBy: ActorRecord;
}

/**
 * Records a person's resolution: its row, which is kept for good, and with it the outcome of the invocation, of its effect and of
 * the reservations. The caller holds the invocation's lock. The database refuses a second resolution, and one of an outcome that
 * is not unknown.
 */
export async function recordResolution(tx: EnvironmentTransaction, resolution: NewResolution): Promise<string> {
  const id = newId('resolution');
  const { evidence, resolvedBy, settledImpact, ...rest } = resolution;
  const bindings = {
    ...rest,
    id,
    summary: evidence.summary,
    providerIds: JSON.stringify(evidence.providerIds),
    url: evidence.url,
    settledImpact: settledImpact === null ? null : JSON.stringify(settledImpact),
    resolvedBy: JSON.stringify({ type: resolvedBy.type, id: resolvedBy.id }),
  };
  await tx.raw(
    `INSERT INTO resolutions (id, environment_id, invocation_id, effect_id, outcome, previous_outcome, partial_effect, settled_impact,
       summary, provider_ids, url, resolved_by)
     VALUES (:id, current_environment_id(), :invocationId, :effectId, :outcome, :previousOutcome, :partialEffect, :settledImpact,
       :summary, :providerIds, :url, :resolvedBy)`,
    bindings,
  );
  await tx.raw(
    `WITH effect AS (
       UPDATE effects SET stage = 'settled', outcome = :outcome, outcome_source = 'manual_resolution', partial_effect = :partialEffect,
         reconcile_next_at = NULL, outcome_at = now(), updated_at = now()
       WHERE invocation_id = :invocationId)
     UPDATE invocations i SET status = :outcome, outcome_source = 'manual_resolution', error = :error,
       refusal_code = CAST(:code AS text), refusal_details = CASE WHEN CAST(:code AS text) IS NOT NULL THEN '{}'::jsonb END,
       settled_at = now(), updated_at = now(), resolution = (SELECT ${RESOLUTION_SHOWN} FROM resolutions r WHERE r.id = :id)
     WHERE i.id = :invocationId`,
    {
      id,
      invocationId: resolution.invocationId,
      outcome: resolution.outcome,
      partialEffect: resolution.partialEffect,
      error: resolution.outcome === 'failed' ? `resolved as failed: ${evidence.summary}` : null,
      code: resolution.outcome === 'failed' ? ('resolved_as_failed' satisfies RefusalCode) : null,
    },
  );
  if (resolution.effectId !== null) await settleReservations(tx, resolution.effectId, { settledImpact });
  announceSettlement(tx, resolution.invocationId);
  return id;
}

/** A row of `resolutions r` as the API shows it, with timestamps in the format of every reply. */
export const RESOLUTION_SHOWN = `jsonb_build_object('outcome', r.outcome, 'previousOutcome', r.previous_outcome,
  'partialEffect', r.partial_effect, 'settledImpact', r.settled_impact,
  'evidence', jsonb_build_object('summary', r.summary, 'providerIds', r.provider_ids, 'url', r.url),
  'resolvedBy', r.resolved_by, 'resolvedAt', to_char(r.resolved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
