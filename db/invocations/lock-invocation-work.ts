import type { EnvironmentTransaction } from '../client.ts';
import { lockInvocation } from './lock-invocation.ts';
import { type BoundPreview, type InvocationWork, REQUESTED_BY } from './records.ts';

/** Locks the invocation until the transaction ends and reads all that its evaluation needs. Null where it was withdrawn. */
export async function lockInvocationWork(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<InvocationWork | null> {
  const read = () =>
    tx.raw<{ rows: Row[] }>(
      `SELECT i.id, i.status, i.grade, i.refusal_code AS "refusalCode", i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input, i.compensates,
       EXISTS (SELECT FROM effect_dependencies d WHERE d.invocation_id = i.id) AS "hasDependencies",
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
