import type { EnvironmentTransaction } from '../client.ts';

/** Changes of the halt that are looked at, the newest ones. */
const CHANGES_MAX = 200;

/** A time in which nothing was sent. */
export interface HaltTime {
  at: Date;
  by: { type: string; id: string | null };
  /** Null while the halt lasts. */
  until: Date | null;
}

/** The halts of the environment that touch `[from, to)`, the newest first, by the audit log. */
export async function readHalts(
  tx: EnvironmentTransaction,
  { from, to }: { from: Date; to: Date },
): Promise<HaltTime[]> {
  const { rows } = await tx.raw<{ rows: (Omit<HaltTime, 'by'> & { type: string; id: string | null })[] }>(
    'read_halts',
    `WITH changes AS (
       SELECT action, recorded_at, actor_type, actor_id, sequence FROM audit_log
       WHERE workspace_id = current_workspace_id() AND target_id = CAST(current_environment_id() AS text)
         AND action IN ('environment.halted', 'environment.resumed')
       ORDER BY sequence DESC LIMIT :most),
     halts AS (
       SELECT action, recorded_at AS at, actor_type AS type, actor_id AS id, lead(recorded_at) OVER (ORDER BY sequence) AS until
       FROM changes)
     SELECT at, type, id, until FROM halts
     WHERE action = 'environment.halted' AND at < :to AND (until IS NULL OR until > :from) ORDER BY at DESC`,
    { from, to, most: CHANGES_MAX },
  );
  return rows.map(({ at, type, id, until }) => ({ at, by: { type, id }, until }));
}
