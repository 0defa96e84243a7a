import type { EnvironmentTransaction } from '../client.ts';
import { INVOCATION_COLUMNS, INVOCATION_JOINS, type InvocationRecord } from './records.ts';

export async function getInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<InvocationRecord | null> {
  const { rows } = await tx.raw<{ rows: InvocationRecord[] }>(
    `SELECT ${INVOCATION_COLUMNS} FROM invocations i ${INVOCATION_JOINS} WHERE i.id = ?`,
    [invocationId],
  );
  return rows[0] ?? null;
}
