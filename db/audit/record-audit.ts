import type { Json, JsonObject } from '../../domain/json.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

export const AUDIT_ACTOR_TYPES = ['api_key', 'user', 'system'] as const;

export interface AuditActor {
  type: (typeof AUDIT_ACTOR_TYPES)[number];
  /** Null where nobody is known, as for a sign-in that failed. */
  id: string | null;
}

export interface AuditChange {
  workspaceId: string;
  /** Left out: the transaction's environment, or none where it has none. */
  environmentId?: string | null;
  actor: AuditActor;
  /** `<what>.<what happened to it>`, such as `api_key.created`. */
  action: string;
  target: { type: string; id: string };
  /** What a reader needs beside the names. Never a secret's value, a password, a key, or the hash of one. */
  details?: JsonObject;
  requestId?: string | null;
}

/**
 * Appends to the workspace's audit log, in the transaction of the change itself; the database numbers and chains the entry.
 * Call it last in the transaction: it locks the end of the workspace's chain until the commit. A transaction that waits for
 * another lock while it holds this one can deadlock.
 */
export async function recordAudit(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  change: AuditChange,
): Promise<void> {
  const details: Json = change.details ?? {};
  await tx.raw(
    `INSERT INTO audit_log (id, workspace_id, environment_id, actor_type, actor_id, action, target_type, target_id, details, request_id)
     VALUES (:id, :workspaceId, COALESCE(CAST(:environmentId AS uuid), current_environment_id()), :actorType, :actorId, :action,
       :targetType, :targetId, :details, :requestId)`,
    {
      id: newId('auditEntry'),
      workspaceId: change.workspaceId,
      environmentId: change.environmentId ?? null,
      actorType: change.actor.type,
      actorId: change.actor.id,
      action: change.action,
      targetType: change.target.type,
      targetId: change.target.id,
      details: JSON.stringify(details),
      requestId: change.requestId ?? null,
    },
  );
}
