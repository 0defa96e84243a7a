import type { Principal } from '../../domain/approvals/terms.ts';
import type { Role } from '../../domain/roles.ts';
import type { Decision } from '../../domain/approvals/approval.ts';
import type { ChatAuthentication } from '../../domain/integrations/integrations.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getApproval } from './queries.ts';
import {
  type AppAuthentication,
  type ApprovalRecord,
  type Authentication,
  type DecisionRecord,
  standingApprovals,
} from './records.ts';

/**
 * Locks an approval until the transaction ends. Its invocation is locked first; this order holds everywhere. The read is a
 * statement of its own, so that it sees what was committed while the locks were waited for.
 */
export async function lockApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalRecord | null> {
  await tx.raw(
    'lock_approval',
    'SELECT i.id FROM invocations i WHERE i.id = (SELECT invocation_id FROM approvals WHERE id = ?) FOR UPDATE OF i',
    [approvalId],
  );
  await tx.raw('lock_approval_2', 'SELECT id FROM approvals WHERE id = ? FOR UPDATE', [approvalId]);
  return getApproval(tx, approvalId);
}

export interface PrincipalNow extends Principal {
  /** The maker of this key was removed from the workspace, so the key decides nothing. */
  makerLeft: boolean;
}

/**
 * The principal that decides, as of this transaction: a key that is neither revoked nor expired, or a member with the current
 * role. Null for anybody else: a slow request must not decide for a key that was revoked meanwhile. The row is locked, so that a
 * revocation or a change of role either waits for the decision or is seen by it. The maker of a key is not locked; consuming the
 * approval checks again whether they are still a member.
 */
export async function readPrincipal(
  tx: EnvironmentTransaction,
  actor: { type: 'api_key' | 'user'; id: string },
): Promise<PrincipalNow | null> {
  return actor.type === 'api_key' ? readKey(tx, actor.id) : readMember(tx, actor.id, 'FOR SHARE OF m');
}

/** The member who only looks, in a read-only transaction. */
export function lookAtMember(tx: EnvironmentTransaction, userId: string): Promise<PrincipalNow | null> {
  return readMember(tx, userId, '');
}

async function readKey(tx: EnvironmentTransaction, id: string): Promise<PrincipalNow | null> {
  const rows = await tx.rows<{ keyName: string; maker: string | null; makerLeft: boolean }>(
    'read_key',
    `SELECT name AS "keyName", created_by AS maker, created_by IS NOT NULL AND NOT EXISTS (
       SELECT FROM members m WHERE m.workspace_id = current_workspace_id() AND m.user_id = created_by) AS "makerLeft"
     FROM api_keys
     WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) FOR SHARE`,
    [id],
  );
  return rows[0] ? { type: 'api_key', id, role: null, email: null, ...rows[0] } : null;
}

async function readMember(
  tx: EnvironmentTransaction,
  id: string,
  lock: 'FOR SHARE OF m' | '',
): Promise<PrincipalNow | null> {
  const rows = await tx.rows<{ role: Role; email: string }>(
    { variantsOf: 'read_member' },
    `SELECT m.role, u.email FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id() AND m.user_id = ? ${lock}`,
    [id],
  );
  return rows[0] ? { type: 'user', id, keyName: null, maker: null, makerLeft: false, ...rows[0] } : null;
}

export interface NewDecision {
  approvalId: string;
  decision: Decision;
  note: string | null;
  bindingDigest: string;
  principal: Principal;
  /** The session that decided, and how its person was authenticated; null for a key. */
  session: { id: string; authentication: StoredAuthentication } | null;
  /** The chat user, linked to the member, who decided; none for a key and for a session. */
  chat?: ChatAuthentication | null;
  /** The app that decided in the name of the member; none for the others. */
  app?: AppAuthentication | null;
}

/**
 * Appends a decision. A trigger ends the approval where the decision is a denial or fills the quorum. Returns false where this
 * principal has decided before with the same key, through the same app, or without one. The caller holds the approval's lock.
 */
export async function addDecision(tx: EnvironmentTransaction, decision: NewDecision): Promise<boolean> {
  const { principal, session, chat = null, app = null } = decision;
  const authentication: Authentication =
    principal.type === 'api_key'
      ? { keyName: principal.keyName }
      : {
          role: principal.role,
          email: principal.email,
          ...(session === null ? {} : { sessionId: session.id, session: session.authentication }),
          ...(chat === null ? {} : { chat }),
          ...(app === null ? {} : { app }),
        };
  const rows = await tx.rows<{ approval_id: string }>(
    'add_decision',
    `INSERT INTO approval_decisions (approval_id, actor_type, actor_id, environment_id, decision, note, binding_digest, authentication, decided_at)
     VALUES (:approvalId, :actorType, :actorId, current_environment_id(), :decision, :note, :bindingDigest, :authentication, clock_timestamp())
     ON CONFLICT DO NOTHING RETURNING approval_id`,
    {
      approvalId: decision.approvalId,
      actorType: principal.type,
      actorId: principal.id,
      decision: decision.decision,
      note: decision.note,
      bindingDigest: decision.bindingDigest,
      authentication: JSON.stringify(authentication),
    },
  );
  return rows.length > 0;
}

/**
 * The part of an approval that goes into its effect's evidence: what was asked, under which policy, and whose decisions count. It
 * contains only ids, because the receipt chains it by hash and keeps it for good. Notes and names stay in the approval.
 */
export function approvalDetails(approval: ApprovalRecord): JsonObject {
  const { policy } = approval;
  const approvers = standingApprovals(approval).map(deciderOf);
  const denial = approval.decisions.find(({ decision }) => decision === 'deny');
  return {
    approvalId: approval.id,
    previewId: approval.previewId,
    bindingDigest: approval.bindingDigest,
    policy: policy.id === null ? null : { id: policy.id, version: policy.version, ruleId: policy.ruleId },
    quorum: { required: approval.quorum, received: approvers.length },
    approvers,
    ...(denial ? { deniedBy: deciderOf(denial) } : {}),
    requestedBy: { type: approval.requestedBy.type, id: approval.requestedBy.id },
  };
}

function deciderOf({ principal, at }: DecisionRecord): { type: string; id: string; at: string } {
  return { type: principal.type, id: principal.id, at: at.toISOString() };
}
