import type { EnvironmentTransaction } from '../client.ts';

/** A read that takes longer is ended (SQLSTATE 57014): nobody waits for it, and the database has other work. */
const READ_TIMEOUT_MS = 5_000;

/** The histograms of a long range do not fit in the default of 4 MB, and would be grouped on disk. At most four read at once. */
const GROUPS_MEMORY = '16MB';

/** What every read of analytics begins with. */
export interface ReadStart {
  /** The start of the transaction, by the database's clock. */
  now: Date;
  /** When the workspace was made. */
  workspaceSince: Date;
  /** All that was committed before it is in the rollups. */
  completeUntil: Date;
}

/** Bounds the transaction's statements, and returns what the range is resolved against. Throws when the workspace does not exist. */
export async function beginRead(tx: EnvironmentTransaction): Promise<ReadStart> {
  const bound = () =>
    tx.raw(
      'begin_read',
      `SELECT set_config('statement_timeout', ?, true), set_config('work_mem', ?, true), set_config('jit', 'off', true)`,
      [String(READ_TIMEOUT_MS), GROUPS_MEMORY],
    );
  const start = () =>
    tx.raw<{ rows: ReadStart[] }>(
      'begin_read_2',
      `SELECT now() AS now, w.created_at AS "workspaceSince", i.analytics_complete_until AS "completeUntil"
     FROM workspaces w, installation i WHERE w.id = current_workspace_id()`,
      [],
    );
  const [, { rows }] = await tx.inOrder(bound, start);
  const [started] = rows;
  if (started === undefined) throw new Error('the transaction names a workspace that is not there');
  return started;
}
