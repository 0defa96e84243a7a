import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { spanIdOf } from '../runs/records.ts';
import { giveBackAllowance } from '../plans/allowances.ts';
import { meaning } from '../refused.ts';
import { usedByArchived } from '../../domain/archive/archived-key.ts';
import { archivedKeyIn } from '../archive/archived-keys.ts';
import { findByOperationKey } from './queries.ts';
import type { ActorRecord } from './records.ts';

export interface Admission {
  /** The preview that it executes, which reserved the invocation's id. The caller holds `lockPreview`. */
  preview?: { id: string; invocationId: string } | null;
  actionId: string;
  versionId: string;
  /** Defaults to the invocation's id. */
  operationKey: string | null;
  requestDigest: string;
  input: JsonObject;
  /** The row also stores the member behind the requester. The dispatch checks whether they are still a member. */
  requestedBy: ActorRecord;
  /** The grant of the app that asks for its user. The dispatch checks whether it has ended. */
  connectedAppId?: string | null;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  /** The request that was admitted. */
  requestId?: string | null;
  /** Effects that must succeed before this is sent, without duplicates. */
  dependsOn?: readonly string[];
  /** The effect that this invocation compensates. */
  compensates?: string | null;
  /** Whether its input attaches files, which `holdFiles` keeps in the same transaction. */
  holdsFiles?: boolean;
}

/** An invocation of a run is a span of it. Whoever knew its id from a preview may have sent a part of the span before. */
const SPAN = `,
     span AS (
       INSERT INTO spans (run_id, id, environment_id, trace_id, name, kind, status, started_at, invocation_id)
       SELECT r.id, :spanId, a.environment_id, r.trace_id, left(n.name, 200), 'action', 'running', a.created_at, a.id
       FROM admitted a, runs r, actions n WHERE r.id = :runId AND n.id = :actionId
       ON CONFLICT (run_id, id) DO UPDATE SET invocation_id = EXCLUDED.invocation_id, name = EXCLUDED.name, kind = EXCLUDED.kind,
         status = EXCLUDED.status, started_at = EXCLUDED.started_at, ended_at = NULL)`;

/**
 * Admits an invocation. An operation key is taken for good: if it is taken already, nothing is written and the id of the earlier
 * invocation is returned, whatever caller made that.
 *
 * @throws {ServiceError} where an archived invocation has the key: the database refuses the row then.
 */
export async function admitInvocation(
  tx: EnvironmentTransaction,
  admission: Admission,
): Promise<{ id: string; admitted: boolean }> {
  const { preview = null, dependsOn = [], compensates = null, connectedAppId = null, ...rest } = admission;
  const id = preview?.invocationId ?? newId('invocation');
  const row = await tx
    .row<{ id: string; admitted: boolean }>(
      { variantsOf: 'admit_invocation' },
      `WITH admitted AS (
       INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by,
         retry_of, run_id, agent_id, preview_id, compensates, request_id, holds_files)
       VALUES (:id, current_environment_id(), :actionId, :versionId, :operationKey, :requestDigest, :input, CAST(:requestedBy AS jsonb) || COALESCE((
           SELECT jsonb_build_object('memberId', m.user_id) FROM members m
           WHERE m.workspace_id = current_workspace_id()
             AND m.user_id = voice_of(CAST(:requesterType AS text), CAST(:requesterId AS text))), '{}'),
         :retryOf, :runId, :agentId, :previewId, :compensates, :requestId, :holdsFiles)
       ON CONFLICT (environment_id, operation_key) DO NOTHING RETURNING id, environment_id, created_at)${rest.runId === null ? '' : SPAN},
     waits AS (
       INSERT INTO effect_dependencies (invocation_id, environment_id, depends_on, position)
       SELECT a.id, a.environment_id, d.effect_id, d.position
       FROM admitted a, unnest(CAST(:dependsOn AS text[])) WITH ORDINALITY AS d (effect_id, position))
     SELECT id, true AS admitted FROM admitted`,
      {
        ...rest,
        id,
        spanId: spanIdOf(id),
        requestId: admission.requestId ?? null,
        previewId: preview?.id ?? null,
        compensates,
        dependsOn,
        holdsFiles: admission.holdsFiles ?? false,
        operationKey: admission.operationKey ?? id,
        input: JSON.stringify(admission.input),
        requestedBy: JSON.stringify({
          ...admission.requestedBy,
          ...(connectedAppId === null ? {} : { connectedAppId }),
        }),
        requesterType: admission.requestedBy.type,
        requesterId: admission.requestedBy.id,
      },
    )
    .catch(meaning((archived) => usedByArchived(archived, admission.requestDigest), archivedKeyIn));
  if (row) return row;
  // ON CONFLICT waited for the conflicting row to commit, so a new statement sees it.
  const found = await findByOperationKey(tx, admission.operationKey ?? id);
  if (!found) throw new Error('an operation key conflicted with no row: the isolation level must be READ COMMITTED');
  return { id: found.id, admitted: false };
}

/**
 * Withdraws an admission whose workflow could not be started, and returns its execution to the month's allowance. Returns false
 * where the workflow began after all, because its evaluation committed first; the invocation then stays. Whichever commits first
 * wins.
 */
export async function withdrawInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const withdrawn = await tx.row<{ created_at: Date }>(
    'withdraw_invocation',
    `WITH gone AS (
       DELETE FROM invocations WHERE id = :invocationId AND status = 'queued' AND evaluated_at IS NULL RETURNING run_id, created_at),
     span AS (DELETE FROM spans s USING gone WHERE s.run_id = gone.run_id AND s.id = :spanId)
     SELECT created_at FROM gone`,
    { invocationId, spanId: spanIdOf(invocationId) },
  );
  if (withdrawn === null) return false;
  await giveBackAllowance(tx, 'executions', 1, withdrawn.created_at);
  return true;
}
