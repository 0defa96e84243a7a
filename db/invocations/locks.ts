import type { RequesterStanding } from '../../domain/invocations/requester.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type BoundPreview, type InvocationWork, REQUESTED_BY } from './records.ts';

/** Locks an invocation until the transaction ends. Every transaction that changes what belongs to it begins with this lock. */
export async function lockInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw('lock_invocation', 'SELECT FROM invocations WHERE id = ? FOR UPDATE', [invocationId]);
}

/** Locks the invocation until the transaction ends and reads all that its evaluation needs. Null where it was withdrawn. */
export async function lockInvocationWork(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<InvocationWork | null> {
  const read = () =>
    tx.raw<{ rows: Row[] }>(
      'lock_invocation_work',
      `SELECT i.id, i.status, i.grade, i.refusal_code AS "refusalCode", i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input, i.compensates,
       CASE WHEN i.status = 'queued' THEN is_recovered(i.timeline) ELSE false END AS "isRecovered", EXISTS (SELECT FROM effect_dependencies d WHERE d.invocation_id = i.id) AS "hasDependencies",
       ${REQUESTED_BY}, i.requested_by ->> 'memberId' AS "requestingMember", k.name AS "requestedByName", i.run_id AS "runId", i.agent_id AS "agentId",
       a.id AS "actionId", a.name AS "actionName", a.archived_at IS NOT NULL AS "actionArchived",
       a.current_version_id AS "currentVersionId", i.version_id AS "versionId", v.definition, e.request_digest AS "requestDigest",
       e.binding_digest AS "bindingDigest", e.impact, e.target, n.halted_reason AS "haltedReason", n.id AS "environmentId", n.workspace_id AS "workspaceId",
       n.name AS "environmentName", n.kind AS "environmentKind", n.approval_default AS "approvalDefault",
       COALESCE(r.revision, 0) AS "policyRevision", r.stamp AS "policyStamp",
       p.id AS "previewId", p.made_by AS "previewMadeBy", p.effect_id AS "previewEffectId", p.binding_digest AS "previewDigest",
       p.expires_at AS "previewExpiresAt", i.approval_id AS "approvalId"
     FROM invocations i JOIN environments n ON n.id = i.environment_id JOIN actions a ON a.id = i.action_id
       JOIN action_versions v ON v.id = i.version_id LEFT JOIN effects e ON e.invocation_id = i.id
       LEFT JOIN previews p ON p.id = i.preview_id LEFT JOIN policy_revisions r ON r.environment_id = i.environment_id
       LEFT JOIN api_keys k ON k.id = i.requested_by ->> 'id'
     WHERE i.id = ?`,
      [invocationId],
    );
  // The lock is a statement of its own: one that waits for it sees other tables, the effect among them, as they were before.
  const [, { rows }] = await tx.inOrder(() => lockInvocation(tx, invocationId), read);
  return rows[0] ? workOf(rows[0]) : null;
}

type Row = Omit<InvocationWork, 'environment' | 'policies' | 'preview'> & {
  workspaceId: string;
  environmentId: string;
  environmentName: string;
  environmentKind: InvocationWork['environment']['kind'];
  approvalDefault: InvocationWork['environment']['approvalDefault'];
  policyRevision: string; // bigint
  policyStamp: string | null;
  previewId: string | null;
  previewMadeBy: BoundPreview['madeBy'];
  previewEffectId: string | null;
  previewDigest: string;
  previewExpiresAt: Date;
};

function workOf(row: Row): InvocationWork {
  const { environmentId, environmentName, environmentKind, approvalDefault, policyRevision, policyStamp, ...flat } =
    row;
  const { previewId, previewMadeBy, previewEffectId, previewDigest, previewExpiresAt, ...work } = flat;
  return {
    ...work,
    environment: { id: environmentId, name: environmentName, kind: environmentKind, approvalDefault },
    policies: { revision: Number(policyRevision), stamp: policyStamp },
    preview:
      previewId === null
        ? null
        : {
            id: previewId,
            madeBy: previewMadeBy,
            effectId: previewEffectId,
            bindingDigest: previewDigest,
            expiresAt: previewExpiresAt,
          },
  };
}

/**
 * Whether the grant `g` is that of the app that requested `invocations i`. A row from before grants were recorded names only the client:
 * for it, every grant counts by which the user has connected that app since.
 */
export const IS_REQUESTING_GRANT = `COALESCE(g.id = i.requested_by ->> 'connectedAppId',
  g.user_id = i.requested_by ->> 'id' AND g.client_id = i.requested_by ->> 'clientId' AND g.created_at <= i.created_at, false)`;

/**
 * Locks the credentials behind an invocation until the transaction ends: the requester's, and those of everyone who decided on
 * its approval. A revocation or removal has either committed and is seen, or waits for this transaction. Members are locked
 * before keys, and keys before connected apps, each in id order. The caller has locked the invocation.
 */
export async function lockCredentials(
  tx: EnvironmentTransaction,
  work: Pick<InvocationWork, 'id' | 'requestedBy' | 'requestingMember' | 'approvalId'>,
): Promise<RequesterStanding> {
  const [isMember, isLiveKey, isConnected] = await tx.inOrder(
    () => lockMembers(tx, work),
    () => lockKeys(tx, work),
    () => lockApps(tx, work),
  );
  if (work.requestedBy.type === 'api_key' && !isLiveKey) return 'key_revoked';
  if (!isMember) return 'member_removed';
  return isConnected ? 'stands' : 'app_disconnected';
}

/**
 * True where the member behind the request has stayed one since, or where there is none. Somebody who left and came back is a new
 * member.
 */
async function lockMembers(
  tx: EnvironmentTransaction,
  { id, requestedBy, requestingMember, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const restsOnNobody = requestingMember === null && requestedBy.type === 'api_key';
  if (restsOnNobody && approvalId === null) return true;
  const rows = await tx.rows<{ userId: string; isSince: boolean }>(
    'lock_members',
    `SELECT m.user_id AS "userId", m.created_at <= i.created_at AS "isSince"
     FROM members m JOIN invocations i ON i.id = :id
     WHERE m.workspace_id = current_workspace_id() AND (m.user_id = :requestingMember OR m.user_id IN (
       SELECT voice_of(d.actor_type, d.actor_id) FROM approval_decisions d WHERE d.approval_id = :approvalId))
     ORDER BY m.user_id FOR SHARE OF m`,
    { id, requestingMember, approvalId },
  );
  return restsOnNobody || rows.some(({ userId, isSince }) => userId === requestingMember && isSince);
}

/** Whether the requesting key is live. Keys are never deleted, so a missing key never asked. */
async function lockKeys(
  tx: EnvironmentTransaction,
  { requestedBy, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const deciders =
    approvalId === null
      ? ''
      : `OR id IN (SELECT actor_id FROM approval_decisions WHERE approval_id = :approvalId AND actor_type = 'api_key')`;
  const rows = await tx.rows<{ id: string; isLive: boolean }>(
    { variantsOf: 'lock_keys' },
    `SELECT id, revoked_at IS NULL AS "isLive" FROM api_keys WHERE id = :requester ${deciders} ORDER BY id FOR SHARE`,
    approvalId === null ? { requester: requestedBy.id } : { requester: requestedBy.id, approvalId },
  );
  return rows.some(({ id, isLive }) => id === requestedBy.id && isLive);
}

/**
 * True where no app asked, or its grant has not ended. The apps that decided for their users are locked too: the database looks at their
 * grants when it counts the approvals that stand.
 */
async function lockApps(
  tx: EnvironmentTransaction,
  { id, requestedBy, approvalId }: Parameters<typeof lockCredentials>[1],
): Promise<boolean> {
  const isOfApp = requestedBy.clientId !== undefined;
  if (!isOfApp && approvalId === null) return true;
  const rows = await tx.rows<{ isRequester: boolean }>(
    'lock_apps',
    `SELECT g.id, ${IS_REQUESTING_GRANT} AS "isRequester" FROM oauth_grants g JOIN invocations i ON i.id = :id
     WHERE g.environment_id = current_environment_id() AND g.ended_at IS NULL AND (${IS_REQUESTING_GRANT} OR g.id IN (
       SELECT d.connected_app_id FROM approval_decisions d WHERE d.approval_id = :approvalId))
     ORDER BY g.id FOR SHARE OF g`,
    { id, approvalId },
  );
  return !isOfApp || rows.some(({ isRequester }) => isRequester);
}
