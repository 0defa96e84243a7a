import type { Database } from '../client.ts';
import { COUNTED_ROWS_MAX } from '../../domain/metrics/of-the-database.ts';

/** Figures of the whole installation. Rows of every environment are counted and none is shown. */

export interface Figure {
  name: string;
  /** The value of its one label; the empty string where it has none. */
  label: string;
  value: number;
}

/** A condition on `pg_stat_activity a`: a session of this login whose commit has waited for a synchronous standby for more than ten seconds. */
export const WAITS_FOR_STANDBY = `a.usename = current_user AND a.wait_event = 'SyncRep' AND a.query_start < clock_timestamp() - interval '10 seconds'`;

/**
 * Reads the figures where no other process has read them within `staysSeconds`. Any process gets `clock`, PostgreSQL's Unix time in seconds,
 * and the commits that wait. `processId`: a UUID that a process keeps.
 */
export async function readInstallationFigures(
  db: Pick<Database, 'directory'>,
  processId: string,
  staysSeconds: number,
): Promise<Figure[]> {
  return db.directory.rows<Figure>(
    'read_installation_figures',
    // The second is of this login's sessions, which the owner of the function does not see.
    `SELECT name, label, value FROM read_installation_figures(?, make_interval(secs => ?), ?)
     UNION ALL SELECT 'database_commits_waiting', '', count(*)::double precision FROM pg_stat_activity a WHERE ${WAITS_FOR_STANDBY}`,
    [processId, staysSeconds, COUNTED_ROWS_MAX],
  );
}

/** Enough for the age of a queue, in a probe that load balancers repeat every few seconds. */
const QUEUED_ROWS_MAX = 1_000;

/** Age of the oldest queued invocation of any environment that waits for no other effect, in whole seconds. 0: there is none. */
export async function readOldestQueuedSeconds(db: Pick<Database, 'directory'>): Promise<number> {
  const row = await db.directory.row<{ seconds: number }>(
    'read_oldest_queued_seconds',
    'SELECT oldest_queued_seconds(?) AS seconds',
    [QUEUED_ROWS_MAX],
  );
  return Math.floor(row?.seconds ?? 0);
}
