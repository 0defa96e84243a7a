import type { ImpactQuantity } from '../../domain/actions.ts';
import type { InvocationStatus, Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import { abandonLostReplays } from '../attempts/abandon-lost-replays.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { ActorRecord } from '../invocations/records.ts';

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
  const { rowCount } = await tx.raw<{ rowCount: number }>('SELECT FROM invocations WHERE id = ? FOR UPDATE', [
    invocationId,
  ]);
  if (rowCount !== 1) return null;
  await abandonLostReplays(tx, invocationId);
  // A separate statement: the snapshot of the one that waited for the lock still has the effect's earlier state.
  const { rows } = await tx.raw<{ rows: Resolvable[] }>(
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
  return rows[0] ?? null;
}

/** The same by the effect's id. */
export async function lockResolvableEffect(
  tx: EnvironmentTransaction,
  effectId: string,
): Promise<(Resolvable & { effect: NonNullable<Resolvable['effect']> }) | null> {
  const { rows } = await tx.raw<{ rows: { invocationId: string }[] }>(
    'SELECT invocation_id AS "invocationId" FROM effects WHERE id = ?',
    [effectId],
  );
  const found = rows[0] && (await lockResolvableInvocation(tx, rows[0].invocationId));
  return found?.effect ? { ...found, effect: found.effect } : null;
}
