import type { ApprovalKind, ApprovalStatus } from '../../domain/approvals/approval.ts';
import type { Grade, InvocationStatus } from '../../domain/lifecycle.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction, UserTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import {
  APPROVAL_COLUMNS,
  APPROVAL_JOINS,
  approvalOf,
  type ApprovalRecord,
  type ApprovalRow,
  LISTED_APPROVAL_COLUMNS,
} from './records.ts';

export async function getApproval(tx: EnvironmentTransaction, approvalId: string): Promise<ApprovalRecord | null> {
  const rows = await tx.rows<ApprovalRow>(
    'get_approval',
    `SELECT ${APPROVAL_COLUMNS} FROM approvals p ${APPROVAL_JOINS} WHERE p.id = ?`,
    [approvalId],
  );
  return rows[0] ? approvalOf(rows[0]) : null;
}

export interface ApprovalFilter extends Range {
  status?: ApprovalStatus | undefined;
  kind?: ApprovalKind | undefined;
  /** Id or name of the action. */
  action?: string | undefined;
  invocationId?: string | undefined;
  effectId?: string | undefined;
}

/** Newest first, ties by id, with large payloads shortened. `total` counts the matches of the filter. */
export async function listApprovals(tx: EnvironmentTransaction, filter: ApprovalFilter): Promise<Page<ApprovalRecord>> {
  const { items, total } = await pageOf<ApprovalRow>(tx, {
    name: 'list_approvals',
    columns: LISTED_APPROVAL_COLUMNS,
    from: 'approvals p',
    joins: APPROVAL_JOINS,
    where: 'p.environment_id = current_environment_id()',
    filters: {
      status: 'p.status = :status',
      kind: 'p.kind = :kind',
      action: 'p.action_id = :action OR p.action_id IN (SELECT id FROM actions WHERE name = :action)',
      invocationId: 'p.invocation_id = :invocationId',
      effectId: 'p.effect_id = :effectId',
    },
    order: 'p.created_at DESC, p.id DESC',
    asked: filter,
  });
  return { items: items.map(approvalOf), total };
}

/** The names of what an approval refers to by its id. Someone who left the workspace has none, as to everybody else. */
export interface NamesBeside {
  users: Readonly<Record<string, { name: string; email: string }>>;
  keys: Readonly<Record<string, string>>;
  /** By the id of the client. */
  apps: Readonly<Record<string, string>>;
  policy: string | null;
  /** What whoever made the action says of it. */
  actionDescription: string | null;
}

export async function readNamesBeside(
  tx: EnvironmentTransaction,
  { requestedBy, decisions, approversOfAll, policy, action }: ApprovalRecord,
): Promise<NamesBeside> {
  const actors = [requestedBy, ...decisions.map(({ principal }) => principal)];
  const ids = actors.flatMap(({ id, maker }) => [id, maker].filter((each) => each !== null));
  const rows = await tx.rows<NamesBeside>(
    'read_names_beside',
    `SELECT
       COALESCE((SELECT jsonb_object_agg(u.id, jsonb_build_object('name', u.name, 'email', u.email))
         FROM users u WHERE u.id = ANY(:users)), '{}') AS users,
       COALESCE((SELECT jsonb_object_agg(k.id, k.name) FROM api_keys k WHERE k.id = ANY(:keys)), '{}') AS keys,
       COALESCE((SELECT jsonb_object_agg(g.client_id, g.client_name) FROM oauth_grants g WHERE g.client_id = ANY(:apps)), '{}') AS apps,
       (SELECT p.name FROM approval_policies p WHERE p.id = :policyId) AS policy,
       (SELECT a.description FROM actions a WHERE a.id = :actionId) AS "actionDescription"`,
    {
      users: [...ids, ...approversOfAll.flatMap(({ users = [] }) => users)],
      keys: [...ids, ...approversOfAll.flatMap(({ keys = [] }) => keys)],
      apps: [requestedBy.clientId, ...decisions.map(({ app }) => app?.clientId)].filter((id) => typeof id === 'string'),
      policyId: policy.id,
      actionId: action?.id ?? null,
    },
  );
  return rows[0] ?? { users: {}, keys: {}, apps: {}, policy: null, actionDescription: null };
}

/** What became of the invocation that an approval was asked for. */
export interface OutcomeAfter {
  status: InvocationStatus;
  grade: Grade;
  error: string | null;
  refusalCode: RefusalCode | null;
  /** The HTTP status of the provider's answer; null where none came. */
  answered: number | null;
  /** The id that the provider gave it. */
  providerReference: string | null;
  settledAt: Date | null;
}

export async function readOutcome(tx: EnvironmentTransaction, invocationId: string): Promise<OutcomeAfter | null> {
  return tx.row<OutcomeAfter>(
    'read_outcome',
    `SELECT i.status, COALESCE(e.grade, i.grade) AS grade, i.error, i.refusal_code AS "refusalCode",
       CAST(i.result ->> 'status' AS integer) AS answered, e.provider_reference AS "providerReference", i.settled_at AS "settledAt"
     FROM invocations i LEFT JOIN effects e ON e.invocation_id = i.id WHERE i.id = ?`,
    [invocationId],
  );
}

/** What people decided about an action lately. */
export interface DecidedLately {
  asked: number;
  approved: number;
  denied: number;
}

export const LATELY_DAYS = 30;
/** More than these change no share that a person reads. */
const LATELY_MAX = 1_000;

/** Counts the newest 1,000 other approvals of this action in the last 30 days. Null for a free-standing approval. */
export async function readDecidedLately(
  tx: EnvironmentTransaction,
  { id, action }: Pick<ApprovalRecord, 'id' | 'action'>,
): Promise<DecidedLately | null> {
  if (action === null) return null;
  return tx.row<DecidedLately>(
    'read_decided_lately',
    `SELECT count(*)::int AS asked, count(*) FILTER (WHERE status IN ('approved', 'consumed'))::int AS approved,
       count(*) FILTER (WHERE status = 'denied')::int AS denied
     FROM (
       SELECT p.status FROM approvals p
       WHERE p.action_id = :actionId AND p.id <> :id
         AND p.created_at > now() - make_interval(days => ${LATELY_DAYS})
       ORDER BY p.created_at DESC LIMIT ${LATELY_MAX}) lately`,
    { actionId: action.id, id },
  );
}

export interface EnvironmentWithPending {
  workspaceName: string;
  environmentId: string;
  environmentName: string;
  kind: string;
  pending: number;
}

/** The environments of the user's workspaces in which approvals are pending, by name, with how many. */
export async function countPendingOfUser(tx: UserTransaction): Promise<EnvironmentWithPending[]> {
  return tx.rows<EnvironmentWithPending>(
    'count_pending_of_user',
    `SELECT workspace_name AS "workspaceName", environment_id AS "environmentId", environment_name AS "environmentName", kind, pending
     FROM count_pending_approvals_of_user()`,
    [],
  );
}
