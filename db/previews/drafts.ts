import type { JsonObject } from '../../domain/json.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import type { RequestIdentity } from '../../domain/adapters/adapter-descriptor.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { RecordGone } from '../../domain/record-gone.ts';

export interface NewDraft {
  /** The id of the future preview. */
  id: string;
  versionId: string;
  invocationId: string;
  effectId: string;
  operationKey: string;
  input: JsonObject;
}

/** Longer than any read of a provider takes. */
const ABANDONED_AFTER_SECONDS = 600;
const SWEPT_AT_ONCE_MAX = 100;

/**
 * Stores what a worker needs to read the provider for a preview. It also deletes the drafts that dead API processes left in this
 * environment, so that they do not accumulate.
 */
export async function insertDraft(tx: EnvironmentTransaction, draft: NewDraft): Promise<void> {
  await tx.raw(
    'insert_draft',
    `WITH abandoned AS (
       SELECT id FROM preview_drafts
       WHERE environment_id = current_environment_id() AND created_at < now() - make_interval(secs => ${ABANDONED_AFTER_SECONDS})
       ORDER BY created_at LIMIT ${SWEPT_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED),
     swept AS (DELETE FROM preview_drafts WHERE id IN (SELECT id FROM abandoned))
     INSERT INTO preview_drafts (id, environment_id, version_id, invocation_id, effect_id, operation_key, input)
     VALUES (:id, current_environment_id(), :versionId, :invocationId, :effectId, :operationKey, :input)`,
    { ...draft, input: JSON.stringify(draft.input) },
  );
}

type DraftRow = Omit<Observation, 'observedAt'> & { observedAt: Date | null };

/** Deletes a draft and returns its observation. Null where nothing was read, or the draft is gone. */
export async function takeDraft(tx: EnvironmentTransaction, previewId: string): Promise<Observation | null> {
  const row = await tx.row<DraftRow>(
    'take_draft',
    `DELETE FROM preview_drafts WHERE id = ?
     RETURNING observed_at AS "observedAt", preconditions, blocks, refusal, summary`,
    [previewId],
  );
  return row === null || row.observedAt === null ? null : { ...row, observedAt: row.observedAt };
}

interface ObservationWork {
  definition: ActionDefinition;
  input: JsonObject;
  identity: RequestIdentity;
}

type WorkRow = Omit<ObservationWork, 'identity'> & RequestIdentity;

/** The part of an invocation that an inspection needs. Before its effect exists, `effectId` is the id that its preview reserved. */
export async function readObservationWork(tx: EnvironmentTransaction, invocationId: string): Promise<ObservationWork> {
  const row = await tx.row<WorkRow>(
    'read_observation_work',
    `SELECT v.definition, i.input, i.id AS "invocationId", i.operation_key AS "operationKey",
       COALESCE(i.effect_id, p.effect_id, i.id) AS "effectId"
     FROM invocations i JOIN action_versions v ON v.id = i.version_id LEFT JOIN previews p ON p.id = i.preview_id
     WHERE i.id = ?`,
    [invocationId],
  );
  if (row === null) throw new RecordGone(`invocation ${invocationId} is gone`);
  const { definition, input, ...identity } = row;
  return { definition, input, identity };
}

type DraftWorkRow = Omit<ObservationWork, 'identity'> & ObservationWork['identity'];

/** The part of a draft that an inspection needs. Null where the draft was given up meanwhile. */
export async function readDraftWork(tx: EnvironmentTransaction, previewId: string): Promise<ObservationWork | null> {
  const row = await tx.row<DraftWorkRow>(
    'read_draft_work',
    `SELECT v.definition, d.input, d.invocation_id AS "invocationId", d.effect_id AS "effectId", d.operation_key AS "operationKey"
     FROM preview_drafts d JOIN action_versions v ON v.id = d.version_id WHERE d.id = ?`,
    [previewId],
  );
  if (row === null) return null;
  const { definition, input, ...identity } = row;
  return { definition, input, identity };
}

/** Appends an observation of the provider for an invocation. Where two activities append at once, one fails and is run again. */
export async function appendObservation(
  tx: EnvironmentTransaction,
  invocationId: string,
  observation: Observation,
): Promise<void> {
  await tx.raw(
    'append_observation',
    `INSERT INTO observations (invocation_id, sequence, environment_id, observed_at, preconditions, blocks, refusal, summary)
     SELECT :invocationId, COALESCE(max(sequence), 0) + 1, current_environment_id(), :observedAt, :preconditions, :blocks,
       :refusal, :summary
     FROM observations WHERE invocation_id = :invocationId`,
    {
      invocationId,
      observedAt: observation.observedAt,
      preconditions: JSON.stringify(observation.preconditions),
      blocks: JSON.stringify(observation.blocks),
      refusal: observation.refusal === null ? null : JSON.stringify(observation.refusal),
      summary: observation.summary,
    },
  );
}

/** Stores the observation for a draft; the API makes the preview of it. Does nothing where the draft was given up. */
export async function recordDraftObservation(
  tx: EnvironmentTransaction,
  previewId: string,
  observation: Observation,
): Promise<void> {
  await tx.raw(
    'record_draft_observation',
    `UPDATE preview_drafts SET observed_at = :observedAt, preconditions = :preconditions, blocks = :blocks, refusal = :refusal,
       summary = :summary
     WHERE id = :previewId`,
    {
      previewId,
      observedAt: observation.observedAt,
      preconditions: JSON.stringify(observation.preconditions),
      blocks: JSON.stringify(observation.blocks),
      refusal: observation.refusal === null ? null : JSON.stringify(observation.refusal),
      summary: observation.summary,
    },
  );
}
