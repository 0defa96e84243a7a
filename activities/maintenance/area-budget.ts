/**
 * How long one sweep works at an area. The sweep ends when its last area does, and the next one begins only then: an area with much to do
 * must not keep the others of every tenant waiting.
 */
export const AREA_BUDGET_MS = 20_000;

export interface AreaBudget {
  /** Looked at between rows, pages and calls: what is under way is finished. */
  isOver(): boolean;
}

export function areaBudget(nowMs: () => number = () => performance.now()): AreaBudget {
  const endMs = nowMs() + AREA_BUDGET_MS;
  return { isOver: () => nowMs() >= endMs };
}
