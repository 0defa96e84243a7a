import type { EnvironmentTransaction } from '../client.ts';
import { LIMIT_COLUMNS, type LimitRecord } from './records.ts';

/** Locks a limit until the transaction ends; reservations against it wait. Null where there is none. */
export async function lockImpactLimit(tx: EnvironmentTransaction, id: string): Promise<LimitRecord | null> {
  const { rows } = await tx.raw<{ rows: LimitRecord[] }>(
    `SELECT ${LIMIT_COLUMNS} FROM impact_limits l WHERE l.id = ? FOR NO KEY UPDATE`,
    [id],
  );
  return rows[0] ?? null;
}
