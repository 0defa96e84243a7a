import type { ArchivedKey } from '../../domain/archive/archived-key.ts';
import type { EnvironmentTransaction } from '../client.ts';

const COLUMNS = `invocation_id AS "invocationId", effect_id AS "effectId", request_digest AS "requestDigest", grade,
  receipt_time(settled_at) AS "settledAt", archive`;

interface Row {
  invocation_id: string;
  effect_id: string | null;
  request_digest: string;
  grade: string;
  settled_at: string;
  archive: string;
}

/** The row of which `refuse_archived_key` tells, as JSON. */
export function archivedKeyIn(detail: string): ArchivedKey {
  const { invocation_id, effect_id, request_digest, grade, settled_at, archive } = JSON.parse(detail) as Row;
  const settledAt = new Date(settled_at).toISOString();
  return {
    invocationId: invocation_id,
    effectId: effect_id,
    requestDigest: request_digest,
    grade,
    settledAt,
    archive,
  };
}

/** The archived invocation that has an operation key of the transaction's environment. */
export async function findArchivedKey(tx: EnvironmentTransaction, operationKey: string): Promise<ArchivedKey | null> {
  return tx.row<ArchivedKey>(
    'find_archived_key',
    `SELECT ${COLUMNS} FROM operation_keys WHERE environment_id = current_environment_id() AND operation_key = ?`,
    [operationKey],
  );
}

/** The archived invocation of this id, or with the effect of this id. */
export async function findArchived(
  tx: EnvironmentTransaction,
  what: 'invocation' | 'effect',
  id: string,
): Promise<ArchivedKey | null> {
  return tx.row<ArchivedKey>(
    { variantsOf: 'find_archived' },
    `SELECT ${COLUMNS} FROM operation_keys WHERE ${what}_id = ?`,
    [id],
  );
}
