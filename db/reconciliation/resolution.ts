import type { ImpactQuantity } from '../../domain/actions.ts';
import type { InvocationStatus, Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import { newId } from '../../domain/ids.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { abandonLostReplays } from '../attempts/replays.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { ActorRecord } from '../invocations/records.ts';
import { settleReservations } from '../impact-limits/settlement.ts';
import { announceSettlement } from '../invocations/changes.ts';

/** The state that a resolution, a manual reconciliation and a replay check before they begin. */
export interface Resolvable {
  invocationId: string;
  status: InvocationStatus;
  requestedBy: ActorRecord;
  createdAt: Date;
  actionName: string;
  compensates: string | null;
  /** Null for a plain invocation. */
  effect: {
    id: string;
    stage: Stage;
    outcome: Outcome;
    exhausted: boolean;
    impact: ImpactQuantity[];
    replays: boolean;
    /** Seconds until the provider forgets the effect's idempotency key; null where the adapter declares no window. */
    windowLeftSeconds: number | null;
    timeoutMs: number;
    openReplay: boolean;
    partialEffect: PartialEffect;
    /** A read found more than one record at the provider. */
    ambiguous: boolean;
  } | null;
}

/**
 * Locks the invocation until the transaction ends, so that no settlement intervenes. A replay whose worker is gone is abandoned
 * first. Null where no invocation has this id.
 */
export async function lockResolvableInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<Resolvable | null> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'lock_resolvable_invocation',
    'SELECT FROM invocations WHERE id = ? FOR UPDATE',
    [invocationId],
  );
  if (rowCount !== 1) return null;
  await abandonLostReplays(tx, invocationId);
  // A separate statement: the snapshot of the one that waited for the lock still has the effect's earlier state.
  return tx.row<Resolvable>(
    'lock_resolvable_invocation_2',
    `SELECT i.id AS "invocationId", i.status, i.requested_by AS "requestedBy", i.created_at AS "createdAt", a.name AS "actionName",
       i.compensates, CASE WHEN e.id IS NULL THEN NULL ELSE jsonb_build_object('id', e.id, 'stage', e.stage, 'outcome', e.outcome,
         'exhausted', e.reconcile_exhausted, 'impact', e.impact,
         'replays', COALESCE((e.capabilities ->> 'replay')::boolean, false),
         'windowLeftSeconds', (e.capabilities ->> 'idempotencyWindowSeconds')::double precision
           - EXTRACT(EPOCH FROM clock_timestamp() - e.first_dispatched_at),
         'timeoutMs', v.definition -> 'timeoutMs', 'ambiguous', is_ambiguous(e.id), 'partialEffect', e.partial_effect,
         'openReplay', EXISTS (SELECT FROM attempts p WHERE p.invocation_id = i.id AND p.kind = 'replay' AND p.status = 'started'))
       END AS effect
     FROM invocations i JOIN actions a ON a.id = i.action_id JOIN action_versions v ON v.id = i.version_id
       LEFT JOIN effects e ON e.invocation_id = i.id
     WHERE i.id = ?`,
    [invocationId],
  );
}

/** The same by the effect's id. */
export async function lockResolvableEffect(
  tx: EnvironmentTransaction,
  effectId: string,
): Promise<(Resolvable & { effect: NonNullable<Resolvable['effect']> }) | null> {
  const rows = await tx.rows<{ invocationId: string }>(
    'lock_resolvable_effect',
    'SELECT invocation_id AS "invocationId" FROM effects WHERE id = ?',
    [effectId],
  );
  const found = rows[0] && (await lockResolvableInvocation(tx, rows[0].invocationId));
  return found?.effect ? { ...found, effect: found.effect } : null;
}

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
    'record_resolution',
    `INSERT INTO resolutions (id, environment_id, invocation_id, effect_id, outcome, previous_outcome, partial_effect, settled_impact,
       summary, provider_ids, url, resolved_by)
     VALUES (:id, current_environment_id(), :invocationId, :effectId, :outcome, :previousOutcome, :partialEffect, :settledImpact,
       :summary, :providerIds, :url, :resolvedBy)`,
    bindings,
  );
  await tx.raw(
    'record_resolution_2',
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
