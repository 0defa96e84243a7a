import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';

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
