import type { EnvironmentTransaction } from '../client.ts';

/** What the Temporal UI shows of an invocation beside its ids. */
export interface NamesOfInvocation {
  actionName: string;
  environmentName: string;
  /** Null: it was admitted by a request whose id was not recorded. */
  requestId: string | null;
}

/** For who starts the workflow of an invocation and holds only its id. Null where its admission was withdrawn. */
export async function namesOfInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<NamesOfInvocation | null> {
  const { rows } = await tx.raw<{ rows: NamesOfInvocation[] }>(
    `SELECT a.name AS "actionName", e.name AS "environmentName", i.request_id AS "requestId"
     FROM invocations i JOIN actions a ON a.id = i.action_id JOIN environments e ON e.id = i.environment_id WHERE i.id = ?`,
    [invocationId],
  );
  return rows[0] ?? null;
}
