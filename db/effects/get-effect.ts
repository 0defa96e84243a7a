import type { EnvironmentTransaction } from '../client.ts';
import { type AttemptRecord, EFFECT_COLUMNS, type EffectRecord, type EvidenceRecord } from './records.ts';

export interface EffectDetail extends EffectRecord {
  attempts: AttemptRecord[];
  evidence: EvidenceRecord[];
}

/** An effect with its attempts and evidence, both oldest first. */
export async function getEffect(tx: EnvironmentTransaction, effectId: string): Promise<EffectDetail | null> {
  const { rows } = await tx.raw<{ rows: EffectRecord[] }>(`SELECT ${EFFECT_COLUMNS} FROM effects e WHERE e.id = ?`, [
    effectId,
  ]);
  const effect = rows[0];
  return effect ? ((await withDetails(tx, [effect]))[0] ?? null) : null;
}

/** Attempts and evidence for several effects, in two statements. */
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
  return effects.map((effect) => ({
    ...effect,
    attempts: attempts.rows.filter((row) => row.invocationId === effect.invocationId),
    evidence: evidence.rows.filter((row) => row.effectId === effect.id),
  }));
}
