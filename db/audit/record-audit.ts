import type { AuditAction } from '../../domain/audit-actions.ts';
import { topicOfChange } from '../../domain/console-topics.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import { newId } from '../../domain/ids.ts';
import { recordChanged } from '../announcements/changed-records.ts';
import type { EnvironmentTransaction, UserTransaction, WorkspaceTransaction } from '../client.ts';

export const AUDIT_ACTOR_TYPES = ['api_key', 'user', 'system'] as const;

export interface AuditActor {
  type: (typeof AUDIT_ACTOR_TYPES)[number];
  /** Null where the actor is unknown, for instance a failed sign-in. */
  id: string | null;
}

export interface AuditChange {
  workspaceId: string;
  /** Omitted: the transaction's environment, if it has one. */
  environmentId?: string | null;
  actor: AuditActor;
  /** How the actor was authenticated. Omitted for the service itself, and where nobody was. */
  authentication?: StoredAuthentication;
  action: AuditAction;
  target: { type: string; id: string };
  /** What a reader needs beside the names. Never the value of a secret, a password, a key, or a hash of one. */
  details?: JsonObject;
  requestId?: string | null;
}

/**
 * Appends to the workspace's audit log, in the transaction of the change itself. The database numbers and chains the entry. Call
 * it last: it locks the end of the workspace's chain until the commit, and a transaction that then waits for another lock can
 * deadlock. After the commit those who look at such records in the console are told.
 */
export async function recordAudit(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  change: AuditChange,
): Promise<void> {
  const details: Json = change.details ?? {};
  await tx.raw(
    'record_audit',
    `INSERT INTO audit_log (id, workspace_id, environment_id, actor_type, actor_id, action, target_type, target_id, details, request_id,
       authentication)
     VALUES (:id, :workspaceId, COALESCE(CAST(:environmentId AS uuid), current_environment_id()), :actorType, :actorId, :action,
       :targetType, :targetId, :details, :requestId, :authentication)`,
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
      authentication: change.authentication === undefined ? null : JSON.stringify(change.authentication),
    },
  );
  const topic = topicOfChange(change.action);
  if (topic === null) return;
  const environmentId = change.environmentId ?? ('tenant' in tx ? tx.tenant.environmentId : null);
  recordChanged(tx, { workspaceId: change.workspaceId, environmentId, topic, id: change.target.id });
}

/**
 * Appends an event of a user's account to the audit log of every workspace that the user belongs to, or of the one that it concerns. An
 * account belongs to no workspace, and each of them relies on it. The chains are locked in the order of the workspaces' ids, so that two
 * calls cannot deadlock. These must be the last statements of the transaction.
 */
export async function recordAccountAudit(
  tx: UserTransaction,
  userId: string,
  change: Omit<AuditChange, 'workspaceId'> & { workspaceId?: string },
): Promise<void> {
  const rows = await tx.rows<{ id: string }>(
    'record_account_audit',
    'SELECT id FROM list_workspaces_of_user(?) WHERE coalesce(id = ?::uuid, true) ORDER BY id',
    [userId, change.workspaceId ?? null],
  );
  for (const { id: workspaceId } of rows) {
    await scopeTo(tx, workspaceId);
    // From here on the transaction's settings name this workspace, and no environment.
    await recordAudit(tx as unknown as WorkspaceTransaction, { ...change, workspaceId });
  }
  await scopeTo(tx, '');
}

async function scopeTo(tx: UserTransaction, workspaceId: string): Promise<void> {
  await tx.raw('scope_to', "SELECT set_config('app.workspace_id', ?, true)", [workspaceId]);
}
