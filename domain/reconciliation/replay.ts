/**
 * An operator's replay is safe only while the provider knows the key. The window must have this much left, beside the
 * time-out: clocks differ, and a request may leave as late as its time-out. No imports: workflows may read it.
 */
export const REPLAY_MARGIN_SECONDS = 60;

export function replayMarginSeconds(timeoutMs: number): number {
  return REPLAY_MARGIN_SECONDS + timeoutMs / 1_000;
}
