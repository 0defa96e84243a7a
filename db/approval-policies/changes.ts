import {
  LIVE_CONDITION_CHARACTERS_MAX,
  LIVE_POLICIES_BYTES_MAX,
  LIVE_POLICIES_MAX,
  LIVE_RULES_MAX,
} from '../../domain/approval-policies/files.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { nameTaken } from '../names.ts';
import { readPolicyRevision } from './evaluation.ts';
import type { NewPolicyVersion, PolicyRecord } from './records.ts';
import { getPolicy } from './queries.ts';

/**
 * Serializes changes of an environment's policies until the transaction ends, and returns the current revision. Every change
 * takes this lock first. The lock and the read are two statements: the snapshot of a statement that waited would predate the
 * wait.
 */
export async function lockPolicies(tx: EnvironmentTransaction): Promise<number> {
  await tx.raw('lock_policies', 'SELECT lock_policies()');
  return (await readPolicyRevision(tx)).revision;
}

/**
 * Enforces the bounds within which every invocation can evaluate its environment's policies. Call it after the change, under
 * `lockPolicies`; an error rolls the change back.
 *
 * @throws {ServiceError} CONFLICT that names the bound.
 */
export async function requireRoom(tx: EnvironmentTransaction): Promise<void> {
  const rows = await tx.rows<{ policies: number; rules: number; bytes: number; characters: number }>(
    'approval_policies_require_room',
    `SELECT CAST(count(*) AS integer) AS policies,
       CAST(COALESCE(sum(json_array_length(v.document -> 'rules')), 0) AS integer) AS rules,
       CAST(COALESCE(sum(octet_length(CAST(v.document AS text))), 0) AS integer) AS bytes,
       CAST(COALESCE(sum((SELECT sum(char_length(rule ->> 'when')) FROM json_array_elements(v.document -> 'rules') AS rule)), 0) AS integer) AS characters
     FROM approval_policies p JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE p.archived_at IS NULL`,
    [],
  );
  const { policies = 0, rules = 0, bytes = 0, characters = 0 } = rows[0] ?? {};
  if (policies > LIVE_POLICIES_MAX) throw noRoom(`${LIVE_POLICIES_MAX} approval policies`);
  if (rules > LIVE_RULES_MAX) throw noRoom(`${LIVE_RULES_MAX} rules in its approval policies together`);
  if (bytes > LIVE_POLICIES_BYTES_MAX) {
    throw noRoom(`${LIVE_POLICIES_BYTES_MAX} bytes of approval policies together`);
  }
  if (characters > LIVE_CONDITION_CHARACTERS_MAX) {
    throw noRoom(`${LIVE_CONDITION_CHARACTERS_MAX} characters of conditions in its approval policies together`);
  }
}

function noRoom(bound: string): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `An environment holds at most ${bound}. Nothing was changed: delete what is not needed first.`,
  });
}

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
      'insert_policy_version',
      `INSERT INTO approval_policy_versions (policy_id, version, environment_id, digest, document, created_by)
       VALUES (:policyId, :version, current_environment_id(), :digest, :document, :createdBy)`,
      { ...place, digest, document: JSON.stringify(document), createdBy: JSON.stringify(createdBy) },
    )
    .catch(nameTaken('approval_policies_live_name', document.name));
}

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
      'create_policy',
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

/** Enables or disables a policy; a trigger increments the revision. The caller holds `lockPolicies`. */
export async function setPolicyEnabled(tx: EnvironmentTransaction, id: string, enabled: boolean): Promise<void> {
  await tx.raw('set_policy_enabled', 'UPDATE approval_policies SET enabled = ?, updated_at = now() WHERE id = ?', [
    enabled,
    id,
  ]);
}

/**
 * Takes a policy out of force permanently. Its name becomes free, and its history stays readable by id. The caller holds
 * `lockPolicies`. The policy must be live: the database refuses changes to an archived one.
 */
export async function archivePolicy(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('archive_policy', 'UPDATE approval_policies SET archived_at = now(), updated_at = now() WHERE id = ?', [
    id,
  ]);
}
