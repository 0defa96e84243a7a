import type { EnvironmentTransaction } from '../client.ts';

/** Messages by what starts them: a grant of their key, or the process that accepted them. */
export interface SplitMessages {
  /** The keys of those that have one. */
  keyIds: string[];
  unkeyedIds: string[];
  /** Those that are due later, and have no workflow unless `paceMessages` says so. */
  pacedIds: string[];
}

/** Splits messages, in the order of their ids. Those that are kept no longer are left out. */
export async function splitByKey(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<SplitMessages> {
  if (messageIds.length === 0) return { keyIds: [], unkeyedIds: [], pacedIds: [] };
  const { rows } = await tx.raw<{ rows: SplitMessages[] }>(
    `SELECT COALESCE(array_agg(DISTINCT flow_control_key_id) FILTER (WHERE flow_control_key_id IS NOT NULL), '{}') AS "keyIds",
       COALESCE(array_agg(id ORDER BY id) FILTER (WHERE flow_control_key_id IS NULL AND NOT paced), '{}') AS "unkeyedIds",
       COALESCE(array_agg(id ORDER BY id) FILTER (WHERE paced), '{}') AS "pacedIds"
     FROM messages WHERE id = ANY(?)`,
    [messageIds],
  );
  const [split] = rows;
  if (split === undefined) throw new Error('an aggregate answers one row');
  return split;
}
