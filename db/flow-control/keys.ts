import { PARALLELISM_MAX } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';

/** A key with what is under way for it, as the API shows it. */
export interface FlowControlKeyRecord {
  id: string;
  key: string;
  rate: number | null;
  periodSeconds: number | null;
  parallelism: number | null;
  ratePinned: boolean;
  parallelismPinned: boolean;
  pausedAt: Date | null;
  /** Null where it is over. */
  heldUntil: Date | null;
  /** The present window; null, and a count of 0, where none is open. */
  windowStartedAt: Date | null;
  windowCount: number;
  waiting: number;
  inFlight: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Whether the window of the row `f` counts still. A paused or idle key may show one that is over. */
const WINDOW_IS_OPEN = `(f.window_started_at + make_interval(secs => f.period_seconds) > clock_timestamp())`;
const WAITING = `SELECT FROM lane_queue q WHERE q.lane_id = f.id AND q.state <> 'taken'`;
const IN_FLIGHT = `SELECT count(*) FROM lane_queue q WHERE q.lane_id = f.id AND q.state = 'taken'`;

const KEY_COLUMNS = {
  id: 'f.id',
  key: 'f.key',
  rate: 'f.rate',
  periodSeconds: 'f.period_seconds',
  parallelism: 'f.parallelism',
  ratePinned: 'f.rate_pinned',
  parallelismPinned: 'f.parallelism_pinned',
  pausedAt: 'f.paused_at',
  heldUntil: 'CASE WHEN f.held_until > clock_timestamp() THEN f.held_until END',
  windowStartedAt: `CASE WHEN ${WINDOW_IS_OPEN} THEN f.window_started_at END`,
  windowCount: `CASE WHEN ${WINDOW_IS_OPEN} THEN f.window_count ELSE 0 END`,
  inFlight: `CAST((${IN_FLIGHT}) AS integer)`,
  createdAt: 'f.created_at',
  updatedAt: 'f.updated_at',
} as const;

const WHOLE_COLUMNS = { ...KEY_COLUMNS, waiting: `CAST((SELECT count(*) FROM (${WAITING}) w) AS integer)` };

/** A key with exact counts, or null. */
export async function getKey(tx: EnvironmentTransaction, keyId: string): Promise<FlowControlKeyRecord | null> {
  const { rows } = await tx.raw<{ rows: FlowControlKeyRecord[] }>(
    'get_key',
    `SELECT ${selected(WHOLE_COLUMNS)} FROM lanes f WHERE f.id = ?`,
    [keyId],
  );
  return rows[0] ?? null;
}

/** A list counts no further: a page of keys must cost the same however many messages wait. */
export const LISTED_WAITING_MAX = 1_000;

const LISTED_COLUMNS = {
  ...KEY_COLUMNS,
  waiting: `CAST((SELECT count(*) FROM (${WAITING} LIMIT ${LISTED_WAITING_MAX}) w) AS integer)`,
};

/** One page of keys, newest first, and the number of all. */
export async function listKeys(
  tx: EnvironmentTransaction,
  asked: { key?: string | undefined } & Range,
): Promise<Page<FlowControlKeyRecord>> {
  return pageOf(tx, {
    name: 'list_lanes',
    columns: selected(LISTED_COLUMNS),
    from: 'lanes f',
    // Nothing is joined, but the page is picked first: the counts of rows that it leaves out would cost as much.
    joins: '',
    where: 'f.environment_id = current_environment_id()',
    filters: { key: 'f.key = :key' },
    order: 'f.created_at DESC, f.id DESC',
    asked,
  });
}

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
    'read_status',
    `SELECT CAST((SELECT count(*) FROM (SELECT FROM lane_queue q WHERE q.environment_id = f.environment_id AND q.lane_id = f.id AND q.state <> 'taken'
         AND q.due_at <= clock_timestamp() LIMIT :dueMax) d) AS integer) AS due,
       (SELECT q.due_at FROM lane_queue q WHERE q.environment_id = f.environment_id AND q.lane_id = f.id AND q.state <> 'taken'
         ORDER BY q.due_at, q.message_id LIMIT 1) AS "oldestDueAt",
       CASE WHEN f.window_started_at + make_interval(secs => f.period_seconds) > clock_timestamp()
         THEN f.window_started_at + make_interval(secs => f.period_seconds) END AS "windowEndsAt",
       CASE WHEN f.paused_at IS NULL AND e.halted_at IS NULL AND (${IN_FLIGHT}) < COALESCE(f.parallelism, :inFlightMax) THEN (
         SELECT GREATEST(q.due_at, f.held_until, CASE WHEN ${WINDOW_IS_OPEN} AND f.window_count >= f.rate
             THEN f.window_started_at + make_interval(secs => f.period_seconds) END)
         FROM lane_queue q WHERE q.environment_id = f.environment_id AND q.lane_id = f.id AND q.state <> 'taken'
         ORDER BY q.due_at, q.message_id LIMIT 1) END AS "nextGrantAt",
       e.halted_at IS NOT NULL AS halted
     FROM lanes f JOIN environments e ON e.id = f.environment_id WHERE f.id = :keyId`,
    { keyId, dueMax, inFlightMax: PARALLELISM_MAX },
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`flow-control key ${keyId} was read and is gone`);
  return row;
}
