import type { EnvironmentTransaction } from '../client.ts';

/** The number of changes of an environment's policies. `stamp` is new with each change, and null before the first. */
export interface PolicyRevision {
  revision: number;
  stamp: string | null;
}

export async function readPolicyRevision(tx: EnvironmentTransaction): Promise<PolicyRevision> {
  const { rows } = await tx.raw<{ rows: { revision: string; stamp: string }[] }>(
    'SELECT revision, stamp FROM policy_revisions',
  );
  const row = rows[0];
  return row === undefined ? { revision: 0, stamp: null } : { revision: Number(row.revision), stamp: row.stamp };
}
