import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type FlowControlKeyRecord, KEY_COLUMNS, WAITING } from './records.ts';

const COLUMNS = { ...KEY_COLUMNS, waiting: `CAST((SELECT count(*) FROM (${WAITING}) w) AS integer)` };

/** A key with exact counts, or null. */
export async function getKey(tx: EnvironmentTransaction, keyId: string): Promise<FlowControlKeyRecord | null> {
  const { rows } = await tx.raw<{ rows: FlowControlKeyRecord[] }>(
    `SELECT ${selected(COLUMNS)} FROM flow_control_keys f WHERE f.id = ?`,
    [keyId],
  );
  return rows[0] ?? null;
}
