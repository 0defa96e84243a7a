import { PENDING_FREE_STANDING_MAX } from '../../domain/approvals/limits.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Approvers } from '../../domain/approval-policies/verdict.ts';
import type { ApprovalKind, ApprovalWatch } from '../../domain/approvals/approval.ts';
import type { Json } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { recordPayload } from '../announcements/changed-records.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';
import type { ActorRecord } from '../invocations/records.ts';
import type { ApprovalPolicyRecord } from './records.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/**
 * Throws QUOTA_EXCEEDED where the environment has its maximum of pending free-standing approvals. Other counters wait until this
 * transaction ends, so call it right before the approval is opened.
 */
export async function requireApprovalRoom(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'require_approval_room',
    "SELECT pg_advisory_xact_lock(hashtextextended('approvals/' || current_environment_id(), 0))",
  );
  const row = await tx.row<{ pending: number }>(
    'require_approval_room_2',
    `SELECT count(*)::int AS pending FROM (SELECT FROM approvals WHERE environment_id = current_environment_id()
       AND kind = 'free_standing' AND status = 'pending' LIMIT ${PENDING_FREE_STANDING_MAX}) counted`,
  );
  if ((row?.pending ?? 0) < PENDING_FREE_STANDING_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${PENDING_FREE_STANDING_MAX} free-standing approvals that are pending. Decide or cancel some, or wait until they expire.`,
  });
}

/** Tells, after the commit, the API requests that wait for a decision on this approval, and who looks at approvals. */
export function announceApproval(tx: EnvironmentTransaction, approvalId: string): void {
  tx.announce({ channel: CHANNELS.approvalChanged, payload: recordPayload(tx, approvalId) });
}

export interface NewApproval {
  id: string;
  kind: ApprovalKind;
  /** Null for a free-standing approval, as are the next four. */
  invocationId: string | null;
  /** Null for the approval of a plain invocation too. */
  effectId: string | null;
  previewId: string | null;
  actionId: string | null;
  title: string;
  summary: string;
  /** The payload of a free-standing approval. */
  payload: Json;
  bindingDigest: string;
  policy: ApprovalPolicyRecord;
  quorum: number;
  approversOfAll: readonly Approvers[];
  preventSelf: boolean;
  requestedBy: ActorRecord;
  expiresAt: Date;
}

export async function openApproval(tx: EnvironmentTransaction, approval: NewApproval): Promise<void> {
  const { policy } = approval;
  await tx.raw(
    'open_approval',
    `INSERT INTO approvals (id, environment_id, kind, invocation_id, effect_id, preview_id, action_id, title, summary, payload,
       binding_digest, source, policy_id, policy_version, rule_id, reason, quorum, approvers, prevent_self, requested_by, expires_at)
     VALUES (:id, current_environment_id(), :kind, :invocationId, :effectId, :previewId, :actionId, :title, :summary, :payload,
       :bindingDigest, :source, :policyId, :policyVersion, :ruleId, :reason, :quorum, :approvers, :preventSelf, :requestedBy, :expiresAt)`,
    {
      ...approval,
      payload: approval.kind === 'free_standing' ? JSON.stringify(approval.payload) : null,
      source: policy.source,
      policyId: policy.id,
      policyVersion: policy.version,
      ruleId: policy.ruleId,
      reason: policy.reason,
      approvers: JSON.stringify(approval.approversOfAll),
      requestedBy: JSON.stringify(approval.requestedBy),
    },
  );
  announceApproval(tx, approval.id);
}

type Row = Omit<ApprovalWatch, 'createdAt' | 'expiresAt'> & { createdAt: Date; expiresAt: Date };

/** Records that a workflow has seen how the approval stands, so that nobody has to wake it (0043-workflow-starts). */
export async function recordAwaitedStatus(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  await tx.raw(
    'record_awaited_status',
    'UPDATE approvals SET awaited_status = status WHERE id = ? AND awaited_status IS DISTINCT FROM status',
    [approvalId],
  );
}

/**
 * Reads what the approval's workflow needs, and records that the workflow has seen this status. The sweep wakes workflows that
 * have not seen the current one.
 */
export async function watchApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalWatch> {
  await recordAwaitedStatus(tx, approvalId);
  const row = await tx.row<Row>(
    'watch_approval',
    `SELECT p.awaited_status AS status, p.created_at AS "createdAt", p.expires_at AS "expiresAt", p.reminders_sent AS "remindersSent",
       p.quorum, (SELECT CAST(count(*) AS int) FROM approval_decisions d WHERE d.approval_id = p.id) AS decisions,
       ARRAY(SELECT i.id FROM integrations i WHERE i.environment_id = p.environment_id AND i.is_active AND i.channel_id IS NOT NULL
         AND p.status = 'pending' AND NOT EXISTS (SELECT FROM chat_posts c WHERE c.approval_id = p.id AND c.integration_id = i.id)) AS unposted
     FROM approvals p WHERE p.id = ?`,
    [approvalId],
  );
  if (!row) throw new RecordGone(`approval ${approvalId} is gone`);
  return { ...row, createdAt: row.createdAt.toISOString(), expiresAt: row.expiresAt.toISOString() };
}

export interface RemindedApproval {
  title: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Records the reminder with this number, once, while the approval is pending. Returns null otherwise. */
export async function recordReminder(
  tx: EnvironmentTransaction,
  { approvalId, reminder, at }: { approvalId: string; reminder: number; at: Date },
): Promise<RemindedApproval | null> {
  return tx.row<RemindedApproval>(
    'record_reminder',
    `UPDATE approvals SET reminders_sent = :reminder, last_reminded_at = :at
     WHERE id = :approvalId AND status = 'pending' AND reminders_sent = :before
     RETURNING title, created_at AS "createdAt", expires_at AS "expiresAt"`,
    { approvalId, reminder, before: reminder - 1, at },
  );
}

/** Consumes an approval for one dispatch, in the transaction that writes the fence. The database allows it once. */
export async function consumeApproval(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  const rows = await tx.rows<{ id: string }>(
    'consume_approval',
    `UPDATE approvals SET status = 'consumed', consumed_at = now() WHERE id = ? AND status = 'approved' RETURNING id`,
    [approvalId],
  );
  if (rows.length === 0) throw new Error(`approval ${approvalId} is not there to be consumed`);
  announceApproval(tx, approvalId);
}

export type ApprovalEnd =
  | { status: 'expired' | 'cancelled'; at: Date }
  /** This can also end an approved approval: what was agreed to is no longer what would be sent. */
  | { status: 'invalidated'; at: Date };

/** Ends an approval that nobody decided, or that is no longer valid. Returns false where it has ended already. */
export async function endApproval(
  tx: EnvironmentTransaction,
  approvalId: string,
  { status, at }: ApprovalEnd,
): Promise<boolean> {
  const rows = await tx.rows<{ id: string }>(
    'end_approval',
    `UPDATE approvals SET status = :status, decided_at = COALESCE(decided_at, :at)
     WHERE id = :approvalId AND status = ANY(:from) RETURNING id`,
    { approvalId, status, at, from: status === 'invalidated' ? ['pending', 'approved'] : ['pending'] },
  );
  if (rows.length > 0) announceApproval(tx, approvalId);
  return rows.length > 0;
}
