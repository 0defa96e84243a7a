import type { EnvironmentTransaction } from '../client.ts';

/**
 * Releases those of `names` that another action gave up while it was governed or required approval, and that an action of this
 * transaction has now. Returns the released names. The caller checks the scope, and rolls back if it is missing. Call it after the names
 * are written.
 *
 * A transaction that gives up a name holds it until it commits, so the unique index makes the new holder wait, and this function then
 * finds the released row. A deferred trigger refuses to commit a name that was not released.
 */
export async function takeGovernedNames(tx: EnvironmentTransaction, names: readonly string[]): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { name: string }[] }>(
    'DELETE FROM governed_names WHERE name = ANY(?) RETURNING name',
    [names],
  );
  return rows.map(({ name }) => name).toSorted();
}
