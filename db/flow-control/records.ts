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
export const WINDOW_IS_OPEN = `(f.window_started_at + make_interval(secs => f.period_seconds) > clock_timestamp())`;
export const WAITING = 'SELECT FROM flow_control_queue q WHERE q.key_id = f.id AND q.granted_at IS NULL';
/** As `grant_flow_control` counts them: the slot of a call whose lease has ended is free. */
const IN_FLIGHT = `SELECT count(*) FROM flow_control_queue q WHERE q.key_id = f.id AND q.granted_at IS NOT NULL
  AND (q.dispatched_at IS NULL OR q.lease_until > clock_timestamp())`;

export const KEY_COLUMNS = {
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
