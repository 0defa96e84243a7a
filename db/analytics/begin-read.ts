import type { EnvironmentTransaction } from '../client.ts';

/** A read that takes longer is ended (SQLSTATE 57014): nobody waits for it, and the records are other requests'. */
export const READ_TIMEOUT_MS = 5_000;

/** What every read of analytics begins with. */
export interface ReadStart {
  /** The start of the transaction, by the database's clock. */
  now: Date;
  /** When the workspace was made. */
  workspaceSince: Date;
  /** When the oldest fact was written that no rollup holds yet; null when all are folded. */
  oldestFactAt: Date | null;
}

/**
 * The start of the oldest transaction that may still write. Read it before the snapshot is taken: a transaction that is over by then is in
 * the snapshot, and one that begins later writes later times. Those of this login alone are seen, which every process of ours has.
 */
export async function oldestTransactionAt(tx: EnvironmentTransaction): Promise<Date> {
  const { rows } = await tx.raw<{ rows: { at: Date }[] }>(
    `SELECT least(clock_timestamp(), min(xact_start)) AS at FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    [],
  );
  return rows[0]?.at ?? new Date(0);
}

/** Bounds the transaction's statements, and returns what the range is resolved against. Throws when the workspace does not exist. */
export async function beginRead(tx: EnvironmentTransaction): Promise<ReadStart> {
  const bounded = tx.raw(`SELECT set_config('statement_timeout', ?, true), set_config('jit', 'off', true)`, [
    String(READ_TIMEOUT_MS),
  ]);
  const { rows } = await tx.raw<{ rows: ReadStart[] }>(
    `SELECT now() AS now, w.created_at AS "workspaceSince", CAST(NULL AS timestamptz) AS "oldestFactAt"
     FROM workspaces w WHERE w.id = current_workspace_id()`,
    [],
  );
  await bounded;
  const start = rows[0];
  if (start === undefined) throw new Error('the transaction names a workspace that is not there');
  return start;
}
