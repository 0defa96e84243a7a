import type { EnvironmentTransaction } from '../client.ts';

/** What a key waits for, beside its record. */
export interface KeyStatus {
  /** Waiting messages that are due, counted up to `dueMax`. */
  due: number;
  /** When the first waiting message is, or was, due. */
  oldestDueAt: Date | null;
  windowEndsAt: Date | null;
  nextGrantAt: Date | null;
  halted: boolean;
}

/** Reads what a key waits for. */
export async function readStatus(tx: EnvironmentTransaction, keyId: string, dueMax: number): Promise<KeyStatus> {
  const { rows } = await tx.raw<{ rows: KeyStatus[] }>(
    `SELECT CAST((SELECT count(*) FROM (SELECT FROM flow_control_queue q WHERE q.key_id = f.id AND q.granted_at IS NULL
         AND q.due_at <= clock_timestamp() LIMIT :dueMax) d) AS integer) AS due,
       (SELECT q.due_at FROM flow_control_queue q WHERE q.key_id = f.id AND q.granted_at IS NULL
         ORDER BY q.due_at, q.message_id LIMIT 1) AS "oldestDueAt",
       CASE WHEN f.window_started_at + make_interval(secs => f.period_seconds) > clock_timestamp()
         THEN f.window_started_at + make_interval(secs => f.period_seconds) END AS "windowEndsAt",
       f.next_grant_at AS "nextGrantAt",
       EXISTS (SELECT FROM environments e WHERE e.id = f.environment_id AND e.halted_at IS NOT NULL) AS halted
     FROM flow_control_keys f WHERE f.id = :keyId`,
    { keyId, dueMax },
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`flow-control key ${keyId} was read and is gone`);
  return row;
}
