import type { EnvironmentTransaction } from '../client.ts';
import { LIMIT_COLUMNS, type LimitDetail, type LimitRecord } from './records.ts';
import { withCounters } from './with-counters.ts';

export async function getImpactLimit(
  tx: EnvironmentTransaction,
  id: string,
  now: Date = new Date(),
): Promise<LimitDetail | null> {
  const { rows } = await tx.raw<{ rows: LimitRecord[] }>(
    `SELECT ${LIMIT_COLUMNS} FROM impact_limits l WHERE l.id = ?`,
    [id],
  );
  return rows[0] ? ((await withCounters(tx, [rows[0]], now))[0] ?? null) : null;
}
