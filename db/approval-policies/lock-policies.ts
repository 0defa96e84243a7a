import type { EnvironmentTransaction } from '../client.ts';
import { readPolicyRevision } from './read-policy-revision.ts';

/**
 * Makes this transaction the only one that changes the policies of its environment until it ends, and answers the revision
 * as it is then. Every change of a policy takes it first; two statements, because the snapshot of one that waited would be
 * older than the wait.
 */
export async function lockPolicies(tx: EnvironmentTransaction): Promise<number> {
  await tx.raw('SELECT lock_policies()');
  return (await readPolicyRevision(tx)).revision;
}
