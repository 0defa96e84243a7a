import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../taken.ts';
import { getPolicy } from './get-policy.ts';
import { insertPolicyVersion } from './insert-policy-version.ts';
import type { NewPolicyVersion, PolicyRecord } from './records.ts';

/**
 * Creates a policy and its version 1, in force from the commit. The caller holds `lockPolicies`.
 *
 * @throws {ServiceError} CONFLICT where a live policy has the name.
 */
export async function createPolicy(tx: EnvironmentTransaction, version: NewPolicyVersion): Promise<PolicyRecord> {
  const id = newId('approvalPolicy');
  const { name, priority } = version.document;
  await tx
    .raw(
      `INSERT INTO approval_policies (id, environment_id, name, priority, current_version)
       VALUES (?, current_environment_id(), ?, ?, 1)`,
      [id, name, priority],
    )
    .catch(nameTaken('approval_policies_live_name', name));
  await insertPolicyVersion(tx, { policyId: id, version: 1 }, version);
  const created = await getPolicy(tx, id);
  if (created === null) throw new Error(`approval policy ${id} was made and is gone`);
  return created;
}
