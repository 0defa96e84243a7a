/** Budget of an area in one sweep. The next sweep begins after the last area: a busy area must not delay the others. */
export const AREA_BUDGET_MS = 20_000;

export interface AreaBudget {
  /** Looked at between rows, pages and calls: what is under way is finished. */
  isOver(): boolean;
}

export function areaBudget(nowMs: () => number = () => performance.now()): AreaBudget {
  const endMs = nowMs() + AREA_BUDGET_MS;
  return { isOver: () => nowMs() >= endMs };
}
