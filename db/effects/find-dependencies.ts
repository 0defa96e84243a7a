import type { Dependency } from '../../domain/invocations/dependencies.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The dependencies of an invocation, in the order of its request. */
export async function findDependencies(tx: EnvironmentTransaction, invocationId: string): Promise<Dependency[]> {
  const { rows } = await tx.raw<{ rows: Dependency[] }>(
    `SELECT e.id AS "effectId", e.stage, e.outcome FROM effect_dependencies d JOIN effects e ON e.id = d.depends_on
     WHERE d.invocation_id = ? ORDER BY d.position`,
    [invocationId],
  );
  return rows;
}
