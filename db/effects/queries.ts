import type { JsonObject } from '../../domain/json.ts';
import type { Grade, Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import type { Dependency } from '../../domain/invocations/dependencies.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { listReservations } from '../impact-limits/reservations.ts';
import type { ReservationRecord } from '../impact-limits/records.ts';
import { listPreviewsById, listShortenedPreviewsById } from '../previews/queries.ts';
import type { ListedPreviewRecord, PreviewRecord } from '../previews/records.ts';
import { RESOLUTION_SHOWN } from '../reconciliation/resolution.ts';
import { shortenedColumn } from '../columns.ts';
import { type Page, pageOf, type Range, rowsAfter } from '../page.ts';
import {
  type AttemptRecord,
  EFFECT_COLUMNS,
  type EffectRecord,
  type EvidenceRecord,
  LISTED_EFFECT_COLUMNS,
} from './records.ts';

export interface EffectDetail extends EffectRecord {
  /** Oldest first. */
  attempts: AttemptRecord[];
  /** How many there are: a list has the newest alone. */
  attemptsCount: number;
  /** Oldest first. */
  evidence: EvidenceRecord[];
  /** How much of it there is: a list has the newest alone. */
  evidenceCount: number;
  /** Ordered by the id of the limit. */
  reservations: ReservationRecord[];
  /** The dependencies of its invocation in their current state, in the order of the request. */
  dependsOn: { effectId: string; outcome: Outcome }[];
  /** The preview that it is bound to. */
  preview: PreviewRecord | null;
  /** As `GET` of one effect shows it. */
  resolution: JsonObject | null;
}

/** How many attempts of an effect, and how much of its evidence, a list shows: reads and notes may be hundreds. */
export const LISTED_RECORDS_MAX = 20;

/** For lists: large members of the effect, its evidence and its preview are shortened. */
export type ListedEffect = Omit<EffectDetail, 'preview'> & { preview: ListedPreviewRecord | null };

/** The receipt's entries of one record, in the order of the chain. */
const chainOf = (
  recordId: string,
): string => `COALESCE((SELECT jsonb_agg(jsonb_build_object('sequence', n.sequence, 'kind', n.kind,
  'previousHash', n.previous_hash, 'hash', n.hash) ORDER BY n.sequence) FROM receipt_entries n WHERE n.record_id = ${recordId}), '[]')`;

/** An effect with its attempts and evidence, oldest first, and the rest of its receipt. */
export async function getEffect(tx: EnvironmentTransaction, effectId: string): Promise<EffectDetail | null> {
  const effect = await tx.row<EffectRecord>('get_effect', `SELECT ${EFFECT_COLUMNS} FROM effects e WHERE e.id = ?`, [
    effectId,
  ]);
  if (effect === null) return null;
  const [detailed] = await withDetails(tx, [effect], { details: 'v.details', max: null });
  const { previewId } = effect;
  const [preview] = previewId === null ? [] : await listPreviewsById(tx, [previewId]);
  return detailed === undefined ? null : { ...detailed, preview: preview ?? null };
}

/** Several effects for a list, with one statement for each kind of detail. */
async function withListedDetails(tx: EnvironmentTransaction, effects: EffectRecord[]): Promise<ListedEffect[]> {
  const detailed = await withDetails(tx, effects, {
    details: `${shortenedColumn('v.details')} AS details`,
    max: LISTED_RECORDS_MAX,
  });
  const previewIds = effects.flatMap(({ previewId }) => (previewId === null ? [] : [previewId]));
  const previews = previewIds.length === 0 ? [] : await listShortenedPreviewsById(tx, previewIds);
  return detailed.map((effect) => ({
    ...effect,
    preview: previews.find((preview) => preview.id === effect.previewId) ?? null,
  }));
}

type Attempt = AttemptRecord & { invocationId: string; count: number };

async function attemptsOf(tx: EnvironmentTransaction, effects: EffectRecord[], max: number | null): Promise<Attempt[]> {
  return tx.rows<Attempt>(
    'attempts_of',
    `SELECT a.id, a.invocation_id AS "invocationId", a.number, a.kind, a.status, a.observed_outcome AS "observedOutcome", a.refusal, a.error,
       receipt_digest(a.response) AS "responseDigest", a.secret_versions AS "secretVersions", a.started_at AS "startedAt",
       a.claimed_at AS "claimedAt", a.finished_at AS "finishedAt", (SELECT receipt_content(l) - 'id' FROM late_answers l
         WHERE l.attempt_id = a.id) AS "lateAnswer", ${chainOf('a.id')} AS chain, n.count
     FROM (SELECT k.id, (count(*) OVER (PARTITION BY k.invocation_id))::int AS count,
         row_number() OVER (PARTITION BY k.invocation_id ORDER BY k.number DESC) AS place
       FROM attempts k WHERE k.invocation_id = ANY(:invocationIds)) n JOIN attempts a ON a.id = n.id
     WHERE CAST(:max AS integer) IS NULL OR n.place <= :max ORDER BY a.invocation_id, a.number`,
    { invocationIds: effects.map((effect) => effect.invocationId), max },
  );
}

async function withDetails(
  tx: EnvironmentTransaction,
  effects: EffectRecord[],
  listed: { details: string; max: number | null },
): Promise<Omit<EffectDetail, 'preview'>[]> {
  const attempts = await attemptsOf(tx, effects, listed.max);
  const evidence = await tx.raw<{ rows: (EvidenceRecord & { effectId: string; count: number })[] }>(
    { variantsOf: 'with_details' },
    `SELECT v.id, v.effect_id AS "effectId", v.source, v.observed_at AS "observedAt", v.implied_outcome AS "impliedOutcome",
       v.provider_ids AS "providerIds", v.summary, ${listed.details}, v.actor_type AS "actorType", v.actor_id AS "actorId",
       v.recorded_at AS "recordedAt", ${chainOf('v.id')} AS chain, n.count
     FROM (SELECT k.id, r.sequence, (count(*) OVER (PARTITION BY k.effect_id))::int AS count,
         row_number() OVER (PARTITION BY k.effect_id ORDER BY r.sequence DESC) AS place
       FROM evidence k LEFT JOIN receipt_entries r ON r.record_id = k.id AND r.kind = 'evidence' WHERE k.effect_id = ANY(?)) n
       JOIN evidence v ON v.id = n.id
     WHERE CAST(? AS integer) IS NULL OR n.place <= ? ORDER BY v.effect_id, n.sequence`,
    [effects.map((effect) => effect.id), listed.max, listed.max],
  );
  const dependencies = await tx.raw<{ rows: { invocationId: string; effectId: string; outcome: Outcome }[] }>(
    'with_details_2',
    `SELECT d.invocation_id AS "invocationId", e.id AS "effectId", e.outcome
     FROM effect_dependencies d JOIN effects e ON e.id = d.depends_on WHERE d.invocation_id = ANY(?) ORDER BY d.invocation_id, d.position`,
    [effects.map((effect) => effect.invocationId)],
  );
  const resolutions = await tx.raw<{ rows: { invocationId: string; shown: JsonObject }[] }>(
    'with_details_3',
    `SELECT r.invocation_id AS "invocationId", jsonb_build_object('id', r.id) || ${RESOLUTION_SHOWN}
       || jsonb_build_object('chain', ${chainOf('r.id')}) AS shown FROM resolutions r WHERE r.invocation_id = ANY(?)`,
    [effects.map((effect) => effect.invocationId)],
  );
  const reservations = await listReservations(
    tx,
    effects.map((effect) => effect.id),
  );
  return effects.map((effect) => ({
    ...effect,
    dependsOn: dependencies.rows
      .filter((row) => row.invocationId === effect.invocationId)
      .map(({ effectId, outcome }) => ({ effectId, outcome })),
    resolution: resolutions.rows.find((row) => row.invocationId === effect.invocationId)?.shown ?? null,
    attempts: attempts.filter((row) => row.invocationId === effect.invocationId),
    attemptsCount: attempts.find((row) => row.invocationId === effect.invocationId)?.count ?? 0,
    evidence: evidence.rows.filter((row) => row.effectId === effect.id),
    evidenceCount: evidence.rows.find((row) => row.effectId === effect.id)?.count ?? 0,
    reservations: reservations.filter((row) => row.effectId === effect.id),
  }));
}

export interface EffectFilter extends Range {
  grade?: Grade | undefined;
  stage?: Stage | undefined;
  outcome?: Outcome | undefined;
  action?: string | undefined;
}

/** Newest first, ties by id, with large members shortened. `total` counts the matches of the filter. */
export async function listEffects(tx: EnvironmentTransaction, filter: EffectFilter): Promise<Page<ListedEffect>> {
  const { items, total } = await pageOf<EffectRecord>(tx, {
    name: 'list_effects',
    columns: LISTED_EFFECT_COLUMNS,
    from: 'effects e',
    where: 'e.environment_id = current_environment_id()',
    filters: {
      grade: 'e.grade = :grade',
      stage: 'e.stage = :stage',
      outcome: 'e.outcome = :outcome',
      action: 'e.action_name = :action',
    },
    order: 'e.created_at DESC, e.id DESC',
    asked: filter,
  });
  return { items: await withListedDetails(tx, items), total };
}

/** Ids of the environment's effects after `after`, in id order: one page of a walk over all of them. */
export async function listEffectIds(tx: EnvironmentTransaction, after: string, limit: number): Promise<string[]> {
  const asked = { after, limit };
  const walk = {
    name: 'list_effect_ids',
    columns: 'id',
    from: 'effects',
    where: 'environment_id = current_environment_id()',
    key: 'id',
    asked,
  };
  return (await rowsAfter<{ id: string }>(tx, walk)).map(({ id }) => id);
}

export interface FoundEffect {
  id: string;
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
  compensates: string | null;
}

/** The effects among these ids that exist in the transaction's environment, in no particular order. */
export async function findEffects(tx: EnvironmentTransaction, ids: readonly string[]): Promise<FoundEffect[]> {
  return tx.rows<FoundEffect>(
    'find_effects',
    'SELECT id, stage, outcome, partial_effect AS "partialEffect", compensates FROM effects WHERE id = ANY(?)',
    [ids],
  );
}

/** The dependencies of an invocation, in the order of its request. */
export async function findDependencies(tx: EnvironmentTransaction, invocationId: string): Promise<Dependency[]> {
  return tx.rows<Dependency>(
    'find_dependencies',
    `SELECT e.id AS "effectId", e.stage, e.outcome FROM effect_dependencies d JOIN effects e ON e.id = d.depends_on
     WHERE d.invocation_id = ? ORDER BY d.position`,
    [invocationId],
  );
}
