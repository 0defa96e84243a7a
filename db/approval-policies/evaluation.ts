import type { PolicyDocument } from '../../domain/approval-policies/document.ts';
import { compilePolicySet } from '../../domain/approval-policies/evaluate-policies.ts';
import {
  type LoadedPolicySet,
  policySets,
  type UncompiledPolicySet,
} from '../../domain/approval-policies/policy-set-cache.ts';
import type { PolicyDefaults, PolicyFacts } from '../../domain/approval-policies/verdict.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The number of changes of an environment's policies. `stamp` is new with each change, and null before the first. */
export interface PolicyRevision {
  revision: number;
  stamp: string | null;
}

export async function readPolicyRevision(tx: EnvironmentTransaction): Promise<PolicyRevision> {
  const row = await tx.row<{ revision: string; stamp: string }>(
    'read_policy_revision',
    'SELECT revision, stamp FROM policy_revisions',
  );
  return row === null ? { revision: 0, stamp: null } : { revision: Number(row.revision), stamp: row.stamp };
}

const NONE: LoadedPolicySet = { revision: 0, set: compilePolicySet([]) };

/**
 * The enabled policies of the transaction's environment: compiled, if this process has them in its cache, else as source. Compile
 * the source with `policySets.compile` after the transaction: compiling can take a second, and must not hold a connection.
 *
 * Every process sees a committed change on its next call, because the revision is read each time (or was read for `known` by an
 * earlier statement of this transaction). A stamp identifies one content for good (migration 0010), even where it was read in a
 * transaction that rolled back. Under Read Committed a change may commit between two statements; the newer set is then returned
 * as a whole.
 */
export async function findPolicySet(
  tx: EnvironmentTransaction,
  known?: PolicyRevision,
): Promise<LoadedPolicySet | UncompiledPolicySet> {
  const { stamp } = known ?? (await readPolicyRevision(tx));
  if (stamp === null) return NONE;
  return policySets.find(stamp) ?? (await readUncompiled(tx));
}

interface Row {
  environmentId: string;
  revision: string;
  stamp: string;
  id: string | null;
  name: string;
  priority: number;
  version: number;
  document: PolicyDocument;
  bytes: number;
}

/** One statement, so that the revision and the policies come from one snapshot. */
async function readUncompiled(tx: EnvironmentTransaction): Promise<UncompiledPolicySet> {
  const rows = await tx.rows<Row>(
    'read_uncompiled',
    `SELECT r.environment_id AS "environmentId", r.revision, r.stamp, p.id, p.name, p.priority, v.version, v.document,
       octet_length(CAST(v.document AS text)) AS bytes
     FROM policy_revisions r
       LEFT JOIN approval_policies p ON p.environment_id = r.environment_id AND p.enabled AND p.archived_at IS NULL
       LEFT JOIN approval_policy_versions v ON v.policy_id = p.id AND v.version = p.current_version
     WHERE r.environment_id = current_environment_id()`,
    [],
  );
  const first = rows[0];
  if (first === undefined) throw new Error('the environment has no policy revision, and had one before');
  const enabled = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }]));
  return {
    environmentId: first.environmentId,
    revision: Number(first.revision),
    stamp: first.stamp,
    policies: enabled.map(({ id, name, priority, version, document }) => ({ id, name, priority, version, document })),
    bytes: enabled.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export interface EvaluationContext {
  environment: PolicyFacts['environment'] & { approvalDefault: PolicyDefaults['approvalDefault'] };
  /** Null where no key was asked for, or the environment has no such key. */
  keyName: string | null;
}

/** The transaction's environment as policies see it, with the name of one of its keys. */
export async function readEvaluationContext(
  tx: EnvironmentTransaction,
  keyId: string | null,
): Promise<EvaluationContext> {
  const row = await tx.row<EvaluationContext['environment'] & { keyName: string | null }>(
    'read_evaluation_context',
    `SELECT e.id, e.name, e.kind, e.approval_default AS "approvalDefault", k.name AS "keyName"
     FROM environments e LEFT JOIN api_keys k ON k.environment_id = e.id AND k.id = CAST(? AS text)
     WHERE e.id = current_environment_id()`,
    [keyId],
  );
  if (row === null) throw new Error('the transaction names an environment that is not there');
  const { keyName, ...environment } = row;
  return { environment, keyName };
}
