import type { SeenEpoch } from '../../domain/epochs/recovery.ts';
import type { Database } from '../client.ts';
import { IS_SYNCHRONOUS } from '../scope.ts';

type Directory = Pick<Database, 'directory'>;

/** Looks at the epoch of the server. One cheap statement, which fails on a standby. */
export async function lookAtEpoch({ directory }: Directory): Promise<SeenEpoch> {
  const row = await directory.row<Omit<SeenEpoch, 'logPosition'> & { logPosition: string }>(
    'look_at_epoch',
    `SELECT c.system_identifier::text AS "systemIdentifier", t.timeline, (pg_current_wal_flush_lsn() - '0/0')::text AS "logPosition",
       ${IS_SYNCHRONOUS} AS "isSynchronous",
       COALESCE((SELECT (e.system_identifier, e.timeline) = (c.system_identifier, t.timeline) FROM database_epochs e ORDER BY e.id DESC LIMIT 1), false) AS "isKnown"
     FROM pg_control_system() c, (SELECT current_timeline() AS timeline OFFSET 0) t`,
  );
  if (row === null) throw new Error('PostgreSQL said nothing of its epoch');
  return { ...row, logPosition: BigInt(row.logPosition) };
}

/** How a recovery stands: `note` holds nothing. */
export type RecoveryState = 'none' | 'note' | 'open' | 'released';

/** Begins the epoch of the server. Returns how its recovery begins; null where another process did so before, or nothing changed. */
export async function openEpoch(
  { directory }: Directory,
  asked: 'log_position' | 'operator' | null,
  nothingLost: boolean,
): Promise<RecoveryState | null> {
  const row = await directory.row<{ recovery: RecoveryState | null }>(
    'open_epoch',
    'SELECT open_database_epoch(?, ?) AS recovery',
    [asked, nothingLost],
  );
  return row?.recovery ?? null;
}

export interface Recovery {
  id: number;
  timeline: number;
  systemIdentifier: string;
  reason: 'first' | 'timeline' | 'system_identifier' | 'log_position' | 'operator';
  recovery: RecoveryState;
  firstSeen: Date;
  releasedAt: Date | null;
}

/** The newest epochs, newest first. */
export async function readRecoveries({ directory }: Directory): Promise<Recovery[]> {
  return directory.rows<Recovery>(
    'read_recoveries',
    `SELECT id, timeline, system_identifier AS "systemIdentifier", reason, recovery, first_seen AS "firstSeen", released_at AS "releasedAt"
     FROM read_recoveries()`,
  );
}

/** Work that recoveries have left, each kind counted to `RECOVERED_WORK_MAX`. */
export interface RecoveredWork {
  /** Outcomes that are unknown because of a recovery. */
  unknown: number;
  /** Not yet taken up: it will be unknown. */
  held: number;
  /** Waits for people since before a recovery. */
  waiting: number;
}

export const RECOVERED_WORK_MAX = 10_000;

export async function countRecoveredWork({ directory }: Directory): Promise<RecoveredWork> {
  const row = await directory.row<RecoveredWork>(
    'count_recovered_work',
    'SELECT unknown, held, waiting FROM count_recovered_work(?)',
    [RECOVERED_WORK_MAX],
  );
  if (row === null) throw new Error('PostgreSQL said nothing of the recoveries');
  return row;
}

/** Ends the open recoveries, and returns how many there were. Nothing that they hold is let go. */
export async function releaseRecovery({ directory }: Directory): Promise<number> {
  const row = await directory.row<{ released: number }>('release_recovery', 'SELECT release_recovery() AS released');
  return row?.released ?? 0;
}
