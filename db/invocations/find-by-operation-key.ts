import type { JsonObject } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The invocation that took an operation key in the transaction's environment, with the digest of its request. */
export async function findByOperationKey(
  tx: EnvironmentTransaction,
  operationKey: string,
): Promise<{ id: string; requestDigest: string } | null> {
  const { rows } = await tx.raw<{ rows: { id: string; requestDigest: string }[] }>(
    `SELECT id, request_digest AS "requestDigest" FROM invocations
     WHERE environment_id = current_environment_id() AND operation_key = ?`,
    [operationKey],
  );
  return rows[0] ?? null;
}

/** The input as it was admitted: with what its files were then. */
export async function readAdmittedInput(tx: EnvironmentTransaction, invocationId: string): Promise<JsonObject | null> {
  const { rows } = await tx.raw<{ rows: { input: JsonObject }[] }>('SELECT input FROM invocations WHERE id = ?', [
    invocationId,
  ]);
  return rows[0]?.input ?? null;
}
