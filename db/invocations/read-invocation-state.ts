import type { InvocationState } from '../../domain/refs.ts';
import type { EnvironmentTransaction } from '../client.ts';

type Row = Omit<InvocationState, 'dependents' | 'refusal'> & {
  refusal: InvocationState['refusal'] | null;
  dependents: string[] | null;
};

/** The number of dependents that are signalled. The others check by themselves, minutes later. */
const DEPENDENTS_MAX = 100;

/** The facts about an invocation that a workflow may know. */
export async function readInvocationState(tx: EnvironmentTransaction, invocationId: string): Promise<InvocationState> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT i.status, COALESCE(e.grade, i.grade) AS grade, e.stage, i.effect_id AS "effectId", i.refusal_code AS refusal,
       CASE WHEN e.stage IN ('settled', 'rejected') THEN ARRAY(
         SELECT w.id FROM effect_dependencies d JOIN invocations w ON w.id = d.invocation_id
         WHERE d.depends_on = e.id AND w.status IN ('queued', 'pending_approval') ORDER BY w.id LIMIT :most) END AS dependents
     FROM invocations i LEFT JOIN effects e ON e.invocation_id = i.id WHERE i.id = :invocationId`,
    { invocationId, most: DEPENDENTS_MAX },
  );
  const row = rows[0];
  if (!row) throw new Error(`invocation ${invocationId} is gone`);
  const { dependents, refusal, ...state } = row;
  return {
    ...state,
    ...(refusal === null || refusal === undefined ? {} : { refusal }),
    ...(dependents === null || dependents.length === 0 ? {} : { dependents }),
  };
}
