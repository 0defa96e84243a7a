/**
 * An operator's replay: the same bytes again under the same provider key. It is safe only while the provider knows that key.
 * When the replay starts, the window must therefore have this much left, beside the action's time-out: clocks differ, a request
 * takes time to arrive, and it may leave as late as its time-out. No imports: workflows may read it.
 */
export const REPLAY_MARGIN_SECONDS = 60;

export function replayMarginSeconds(timeoutMs: number): number {
  return REPLAY_MARGIN_SECONDS + timeoutMs / 1_000;
}
