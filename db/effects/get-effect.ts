import type { EnvironmentTransaction } from '../client.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Outcome } from '../../domain/lifecycle.ts';
import { listReservations } from '../impact-limits/list-reservations.ts';
import type { ReservationRecord } from '../impact-limits/records.ts';
import { listPreviewsById } from '../previews/list-previews-by-id.ts';
import type { PreviewRecord } from '../previews/records.ts';
import { RESOLUTION_SHOWN } from '../reconciliation/record-resolution.ts';
import { type AttemptRecord, EFFECT_COLUMNS, type EffectRecord, type EvidenceRecord } from './records.ts';

export interface EffectDetail extends EffectRecord {
  attempts: AttemptRecord[];
  evidence: EvidenceRecord[];
  /** By the id of their limit. */
  reservations: ReservationRecord[];
  /** What its invocation waited for, in the order of the request, as it is now. */
  dependsOn: { effectId: string; outcome: Outcome }[];
  /** What it is bound to. */
  preview: PreviewRecord | null;
  /** As the API shows it. */
  resolution: JsonObject | null;
}

/** An effect with its attempts and evidence, both oldest first, and what else is kept of it. */
export async function getEffect(tx: EnvironmentTransaction, effectId: string): Promise<EffectDetail | null> {
  const { rows } = await tx.raw<{ rows: EffectRecord[] }>(`SELECT ${EFFECT_COLUMNS} FROM effects e WHERE e.id = ?`, [
    effectId,
  ]);
  const effect = rows[0];
  return effect ? ((await withDetails(tx, [effect]))[0] ?? null) : null;
}

/** The same for several effects, in one statement for each kind of detail. */
export async function withDetails(tx: EnvironmentTransaction, effects: EffectRecord[]): Promise<EffectDetail[]> {
  const attempts = await tx.raw<{ rows: (AttemptRecord & { invocationId: string })[] }>(
    `SELECT id, invocation_id AS "invocationId", number, kind, status, observed_outcome AS "observedOutcome", error,
       started_at AS "startedAt", finished_at AS "finishedAt"
     FROM attempts WHERE invocation_id = ANY(?) ORDER BY invocation_id, number`,
    [effects.map((effect) => effect.invocationId)],
  );
  const evidence = await tx.raw<{ rows: (EvidenceRecord & { effectId: string })[] }>(
    `SELECT id, effect_id AS "effectId", source, observed_at AS "observedAt", implied_outcome AS "impliedOutcome",
       provider_ids AS "providerIds", summary, details, actor_type AS "actorType", actor_id AS "actorId", recorded_at AS "recordedAt"
     FROM evidence WHERE effect_id = ANY(?) ORDER BY effect_id, sequence`,
    [effects.map((effect) => effect.id)],
  );
  const dependencies = await tx.raw<{ rows: { invocationId: string; effectId: string; outcome: Outcome }[] }>(
    `SELECT d.invocation_id AS "invocationId", e.id AS "effectId", e.outcome
     FROM effect_dependencies d JOIN effects e ON e.id = d.depends_on WHERE d.invocation_id = ANY(?) ORDER BY d.invocation_id, d.position`,
    [effects.map((effect) => effect.invocationId)],
  );
  const resolutions = await tx.raw<{ rows: { invocationId: string; shown: JsonObject }[] }>(
    `SELECT r.invocation_id AS "invocationId", ${RESOLUTION_SHOWN} AS shown FROM resolutions r WHERE r.invocation_id = ANY(?)`,
    [effects.map((effect) => effect.invocationId)],
  );
  const reservations = await listReservations(
    tx,
    effects.map((effect) => effect.id),
  );
  const previewIds = effects.flatMap(({ previewId }) => (previewId === null ? [] : [previewId]));
  const previews = previewIds.length === 0 ? [] : await listPreviewsById(tx, previewIds);
  return effects.map((effect) => ({
    ...effect,
    preview: previews.find((preview) => preview.id === effect.previewId) ?? null,
    dependsOn: dependencies.rows
      .filter((row) => row.invocationId === effect.invocationId)
      .map(({ effectId, outcome }) => ({ effectId, outcome })),
    resolution: resolutions.rows.find((row) => row.invocationId === effect.invocationId)?.shown ?? null,
    attempts: attempts.rows.filter((row) => row.invocationId === effect.invocationId),
    evidence: evidence.rows.filter((row) => row.effectId === effect.id),
    reservations: reservations.filter((row) => row.effectId === effect.id),
  }));
}
