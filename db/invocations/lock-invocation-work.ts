import type { EnvironmentTransaction } from '../client.ts';
import type { InvocationWork } from './records.ts';

/** The invocation's row, locked until the transaction ends, with the version it runs under. Null where it was withdrawn. */
export async function lockInvocationWork(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<InvocationWork | null> {
  const { rows } = await tx.raw<{ rows: InvocationWork[] }>(
    `SELECT i.id, i.status, i.grade, i.effect_id AS "effectId", i.operation_key AS "operationKey", i.input,
       a.name AS "actionName", a.archived_at IS NOT NULL AS "actionArchived", a.current_version_id AS "currentVersionId",
       i.version_id AS "versionId", v.definition, e.request_digest AS "requestDigest", n.halted_reason AS "haltedReason"
     FROM invocations i JOIN environments n ON n.id = i.environment_id JOIN actions a ON a.id = i.action_id
       JOIN action_versions v ON v.id = i.version_id LEFT JOIN effects e ON e.invocation_id = i.id
     WHERE i.id = ? FOR UPDATE OF i`,
    [invocationId],
  );
  return rows[0] ?? null;
}
