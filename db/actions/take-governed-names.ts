import type { EnvironmentTransaction } from '../client.ts';

/**
 * Releases those of these names that an action left behind while it was governed or required approval, to actions of this
 * transaction that bear them by now; answers which those were. The caller checks its scope, and rolls back where it lacks it.
 *
 * Call it after the names are written: whoever gives a name up holds it until they commit, so the unique index makes a taker wait
 * for them, and what they left is found here. A name that is not released cannot be committed, which a deferred trigger holds.
 */
export async function takeGovernedNames(tx: EnvironmentTransaction, names: readonly string[]): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { name: string }[] }>(
    'DELETE FROM governed_names WHERE name = ANY(?) RETURNING name',
    [names],
  );
  return rows.map(({ name }) => name).toSorted();
}
