import type { EnvironmentTransaction } from '../client.ts';

/** A read that takes longer is ended (SQLSTATE 57014): nobody waits for it, and the database has other work. */
const READ_TIMEOUT_MS = 5_000;

/** The histograms of a long range do not fit in the default of 4 MB, and would be grouped on disk. At most four read at once. */
const GROUPS_MEMORY = '16MB';

/**
 * A read is one process of the database and goes by the keys of the rollups: PostgreSQL would rather read a month of them whole, with two more
 * processes on what admissions run on, where it takes a page of the index for as slow as a disk's.
 */
const PLANS = { max_parallel_workers_per_gather: '0', random_page_cost: '1.1', jit: 'off' };

const SETTINGS = { statement_timeout: String(READ_TIMEOUT_MS), work_mem: GROUPS_MEMORY, ...PLANS };

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
  const bounded = tx.raw(
    'begin_read',
    'SELECT set_config(name, value, true) FROM unnest(CAST(? AS text[]), CAST(? AS text[])) s (name, value)',
    [Object.keys(SETTINGS), Object.values(SETTINGS)],
  );
  const started = tx.raw<{ rows: ReadStart[] }>(
    'begin_read_2',
    `SELECT now() AS now, w.created_at AS "workspaceSince", i.analytics_complete_until AS "completeUntil"
     FROM workspaces w, installation i WHERE w.id = current_workspace_id()`,
    [],
  );
  const [, { rows }] = await Promise.all([bounded, started]);
  const start = rows[0];
  if (start === undefined) throw new Error('the transaction names a workspace that is not there');
  return start;
}
