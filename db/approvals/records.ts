import type { Approvers, PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import type { ApprovalKind, ApprovalStatus, Decision } from '../../domain/approvals/approval.ts';
import { type Principal, type Requester, voiceOf } from '../../domain/approvals/terms.ts';
import type { ChatAuthentication } from '../../domain/integrations/integrations.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import type { Json } from '../../domain/json.ts';
import { withShortened } from '../columns.ts';

/** Where the need for an approval came from. `caller` is a free-standing approval. */
export interface ApprovalPolicyRecord {
  source: PolicyVerdict['source'] | 'caller';
  id: string | null;
  version: number | null;
  ruleId: string | null;
  reason: string;
}

export interface DecisionRecord {
  decision: Decision;
  note: string | null;
  bindingDigest: string;
  principal: Principal;
  /** The session that decided; null for a key, which is the principal itself. */
  sessionId: string | null;
  /** How and when the person of that session was authenticated; null without a session, and before there were passkeys. */
  session: StoredAuthentication | null;
  /** The chat user, linked to the member, who decided; null for a key and for a session. */
  chat: ChatAuthentication | null;
  app: AppAuthentication | null;
  /**
   * False once the key was revoked, the app disconnected, or the member (the user, or the maker of the key) removed. The decision then no
   * longer counts.
   */
  stands: boolean;
  at: Date;
}

export interface ApprovalRecord {
  id: string;
  kind: ApprovalKind;
  status: ApprovalStatus;
  invocationId: string | null;
  effectId: string | null;
  previewId: string | null;
  action: { id: string; name: string } | null;
  title: string;
  summary: string;
  payload: Json;
  bindingDigest: string;
  policy: ApprovalPolicyRecord;
  quorum: number;
  approversOfAll: Approvers[];
  preventSelf: boolean;
  requestedBy: Requester;
  /** The invocation's run. */
  runId: string | null;
  agentId: string | null;
  /** Oldest first. */
  decisions: DecisionRecord[];
  remindersSent: number;
  lastRemindedAt: Date | null;
  createdAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  consumedAt: Date | null;
}

/** To `approvals p`. */
export const APPROVAL_JOINS =
  'LEFT JOIN actions a ON a.id = p.action_id LEFT JOIN invocations i ON i.id = p.invocation_id';

/** The columns of `ApprovalRow`; `approvalOf` turns a row into an ApprovalRecord. */
export const APPROVAL_COLUMNS = `
  p.id, p.kind, p.status, p.invocation_id AS "invocationId", p.effect_id AS "effectId", p.preview_id AS "previewId",
  CASE WHEN a.id IS NULL THEN NULL ELSE jsonb_build_object('id', a.id, 'name', a.name) END AS action, p.title, p.summary, p.payload,
  p.binding_digest AS "bindingDigest",
  jsonb_build_object('source', p.source, 'id', p.policy_id, 'version', p.policy_version, 'ruleId', p.rule_id, 'reason', p.reason) AS policy,
  p.quorum, p.approvers AS "approversOfAll", p.prevent_self AS "preventSelf",
  jsonb_build_object('type', p.requested_by ->> 'type', 'id', p.requested_by ->> 'id', 'clientId', p.requested_by ->> 'clientId',
    'maker', (SELECT k.created_by FROM api_keys k WHERE k.id = p.requested_by ->> 'id')) AS "requestedBy", i.run_id AS "runId",
  i.agent_id AS "agentId",
  COALESCE((SELECT jsonb_agg(jsonb_build_object('decision', d.decision, 'note', d.note, 'bindingDigest', d.binding_digest,
      'actorType', d.actor_type, 'actorId', d.actor_id, 'authentication', d.authentication, 'at', d.decided_at,
      'maker', (SELECT k.created_by FROM api_keys k WHERE d.actor_type = 'api_key' AND k.id = d.actor_id),
      'stands', credential_stands(d.environment_id, d.actor_type, d.actor_id, d.authentication #>> '{app,connectedAppId}', d.decided_at))
      ORDER BY d.decided_at, d.actor_type, d.actor_id)
    FROM approval_decisions d WHERE d.approval_id = p.id), '[]') AS decisions,
  p.reminders_sent AS "remindersSent", p.last_reminded_at AS "lastRemindedAt", p.created_at AS "createdAt",
  p.expires_at AS "expiresAt", p.decided_at AS "decidedAt", p.consumed_at AS "consumedAt"`;

/** The same for lists: a large payload is shortened. */
export const LISTED_APPROVAL_COLUMNS = withShortened(APPROVAL_COLUMNS, 'p', ['payload']);

/** How a decider was authenticated, as stored in `approval_decisions.authentication`. */
/** An app that a member has let decide for them. */
export interface AppAuthentication {
  clientId: string;
  connectedAppId: string;
}

export interface Authentication {
  keyName?: string | null;
  role?: Principal['role'];
  email?: string | null;
  /** How and when the person of the session was authenticated. Earlier decisions, by password alone, lack it. */
  session?: StoredAuthentication;
  sessionId?: string;
  chat?: ChatAuthentication;
  app?: AppAuthentication;
}

export type ApprovalRow = Omit<ApprovalRecord, 'decisions'> & {
  decisions: {
    decision: Decision;
    note: string | null;
    bindingDigest: string;
    actorType: Principal['type'];
    actorId: string;
    authentication: Authentication;
    maker: string | null;
    stands: boolean;
    at: string;
  }[];
};

export function approvalOf(row: ApprovalRow): ApprovalRecord {
  return {
    ...row,
    decisions: row.decisions.map(({ actorType, actorId, authentication, maker, at, ...decision }) => ({
      ...decision,
      principal: {
        type: actorType,
        id: actorId,
        keyName: authentication.keyName ?? null,
        role: authentication.role ?? null,
        email: authentication.email ?? null,
        maker,
      },
      sessionId: authentication.sessionId ?? null,
      session: authentication.session ?? null,
      chat: authentication.chat ?? null,
      app: authentication.app ?? null,
      at: new Date(at),
    })),
  };
}

/** The approve decisions that still count, one for each person. */
export function standingApprovals({ decisions }: Pick<ApprovalRecord, 'decisions'>): DecisionRecord[] {
  const given = decisions.filter(({ decision, stands }) => decision === 'approve' && stands);
  return [...new Map(given.map((each) => [voiceOf(each.principal), each])).values()];
}
