import type { InvocationState } from '../../domain/refs.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What a workflow may know of an invocation now. */
export async function readInvocationState(tx: EnvironmentTransaction, invocationId: string): Promise<InvocationState> {
  const { rows } = await tx.raw<{ rows: InvocationState[] }>(
    `SELECT i.status, COALESCE(e.grade, i.grade) AS grade, e.stage, i.effect_id AS "effectId"
     FROM invocations i LEFT JOIN effects e ON e.invocation_id = i.id WHERE i.id = ?`,
    [invocationId],
  );
  const state = rows[0];
  if (!state) throw new Error(`invocation ${invocationId} is gone`);
  return state;
}
