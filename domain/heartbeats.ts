/** A worker that makes a call and has sent no heartbeat for so long counts as lost. */
export const HEARTBEAT_TIMEOUT_MS = 10_000;
/** Heartbeats within that time: a busy machine may be late with four in a row before a dispatch is lost to it. */
const HEARTBEATS_IN_TIMEOUT = 5;

/** Added to an action's own time-out: the database before and after the call. A dispatch that lasts longer is given up. */
export const DISPATCH_MARGIN_MS = 60_000;

/** How often a worker that is configured with this time-out sends them. Calls that wait for the standard time-out are served as well. */
export function heartbeatIntervalMs(heartbeatTimeoutMs: number): number {
  return Math.floor(Math.min(heartbeatTimeoutMs, HEARTBEAT_TIMEOUT_MS) / HEARTBEATS_IN_TIMEOUT);
}
