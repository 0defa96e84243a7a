import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { findByOperationKey } from './find-by-operation-key.ts';
import type { ActorRecord } from './records.ts';

export interface Admission {
  /** The preview that it executes, locked (`lockPreview`): it reserved the invocation's id. */
  preview?: { id: string; invocationId: string } | null;
  actionId: string;
  versionId: string;
  /** Null: the invocation's own id. */
  operationKey: string | null;
  requestDigest: string;
  input: JsonObject;
  /** The row also keeps the member on whom it rests: the dispatch asks whether that is still one. */
  requestedBy: ActorRecord;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  /** Effects that must have succeeded before it is sent, each once. */
  dependsOn?: readonly string[];
  /** The effect that it makes up for. */
  compensates?: string | null;
}

/**
 * Admits an invocation. An operation key is taken for good: where it was taken before, nothing is written and the earlier
 * invocation's id is answered, whoever asks first.
 */
export async function admitInvocation(
  tx: EnvironmentTransaction,
  admission: Admission,
): Promise<{ id: string; admitted: boolean }> {
  const { preview = null, dependsOn = [], compensates = null, ...rest } = admission;
  const id = preview?.invocationId ?? newId('invocation');
  const { rows } = await tx.raw<{ rows: { id: string; admitted: boolean }[] }>(
    `WITH admitted AS (
       INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by,
         retry_of, run_id, agent_id, preview_id, compensates)
       VALUES (:id, current_environment_id(), :actionId, :versionId, :operationKey, :requestDigest, :input, CAST(:requestedBy AS jsonb) || COALESCE((
           SELECT jsonb_build_object('memberId', m.user_id) FROM members m
           WHERE m.workspace_id = current_workspace_id()
             AND m.user_id = voice_of(CAST(:requesterType AS text), CAST(:requesterId AS text))), '{}'),
         :retryOf, :runId, :agentId, :previewId, :compensates)
       ON CONFLICT (environment_id, operation_key) DO NOTHING RETURNING id, environment_id),
     waits AS (
       INSERT INTO effect_dependencies (invocation_id, environment_id, depends_on, position)
       SELECT a.id, a.environment_id, d.effect_id, d.position
       FROM admitted a, unnest(CAST(:dependsOn AS text[])) WITH ORDINALITY AS d (effect_id, position))
     SELECT id, true AS admitted FROM admitted`,
    {
      ...rest,
      id,
      previewId: preview?.id ?? null,
      compensates,
      dependsOn,
      operationKey: admission.operationKey ?? id,
      input: JSON.stringify(admission.input),
      requestedBy: JSON.stringify(admission.requestedBy),
      requesterType: admission.requestedBy.type,
      requesterId: admission.requestedBy.id,
    },
  );
  const row = rows[0];
  if (row) return row;
  // The conflicting row is committed (ON CONFLICT waits for it), so a new statement sees it.
  const found = await findByOperationKey(tx, admission.operationKey ?? id);
  if (!found) throw new Error('an operation key conflicted with no row: the isolation level must be READ COMMITTED');
  return { id: found.id, admitted: false };
}
