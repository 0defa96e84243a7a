import type { EnvironmentTransaction } from '../client.ts';
import { readPolicyRevision } from './read-policy-revision.ts';

/**
 * Serializes changes of an environment's policies until the transaction ends, and returns the current revision. Every change
 * takes this lock first. The lock and the read are two statements: the snapshot of a statement that waited would predate the
 * wait.
 */
export async function lockPolicies(tx: EnvironmentTransaction): Promise<number> {
  await tx.raw('SELECT lock_policies()');
  return (await readPolicyRevision(tx)).revision;
}
