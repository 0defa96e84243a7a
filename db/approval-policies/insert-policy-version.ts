import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import type { NewPolicyVersion } from './records.ts';

/**
 * Appends a version. A trigger gives the policy the version's number, name and priority, and increments the revision. Version 1
 * is for a policy that the same transaction has inserted.
 *
 * @throws {ServiceError} CONFLICT where another live policy has the document's name.
 */
export async function insertPolicyVersion(
  tx: EnvironmentTransaction,
  place: { policyId: string; version: number },
  { document, digest, createdBy }: NewPolicyVersion,
): Promise<void> {
  await tx
    .raw(
      `INSERT INTO approval_policy_versions (policy_id, version, environment_id, digest, document, created_by)
       VALUES (:policyId, :version, current_environment_id(), :digest, :document, :createdBy)`,
      { ...place, digest, document: JSON.stringify(document), createdBy: JSON.stringify(createdBy) },
    )
    .catch(nameTaken('approval_policies_live_name', document.name));
}
