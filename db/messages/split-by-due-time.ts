import type { EnvironmentTransaction } from '../client.ts';

export interface SplitByDueTime {
  due: string[];
  /** They wait until their time, and hold no permit. */
  later: string[];
}

/** Splits messages that have not begun, in the given order. One that has begun, or ended, is left out: somebody started it. */
export async function splitByDueTime(
  tx: EnvironmentTransaction,
  messageIds: readonly string[],
): Promise<SplitByDueTime> {
  const { rows } = await tx.raw<{ rows: SplitByDueTime[] }>(
    `SELECT COALESCE(array_agg(w.id ORDER BY w.place) FILTER (WHERE m.next_attempt_at <= clock_timestamp()), '{}') AS due,
       COALESCE(array_agg(w.id ORDER BY w.place) FILTER (WHERE m.next_attempt_at > clock_timestamp()), '{}') AS later
     FROM unnest(CAST(:messageIds AS text[])) WITH ORDINALITY AS w (id, place) JOIN messages m ON m.id = w.id
     WHERE m.status IN ('pending', 'scheduled') AND m.begun_at IS NULL`,
    { messageIds: [...messageIds] },
  );
  const [split] = rows;
  if (split === undefined) throw new Error('an aggregate answers one row');
  return split;
}
