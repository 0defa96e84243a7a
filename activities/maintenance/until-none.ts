import type { ActivityDependencies } from '../dependencies.ts';
import type { AreaBudget } from './area-budget.ts';

/** Calls of one step in one sweep, so that a large backlog holds up no other area: the next sweep goes on. */
const CALLS_MAX = 20;

/** Repeats a step that does a part of the work until it finds none, or the budget is over. Does it once in any case. Returns how much it did. */
export async function untilNone(budget: AreaBudget, step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let call = 0; call < CALLS_MAX; call++) {
    const count = await step();
    if (count === 0) break;
    total += count;
    if (budget.isOver()) break;
  }
  return total;
}

/** Repeats a step that drops one partition until it finds none. Returns how many. */
export async function dropUntilNone(
  { logger, budget }: { logger: ActivityDependencies['logger']; budget: AreaBudget },
  what: string,
  drop: () => Promise<string | null>,
): Promise<number> {
  return untilNone(budget, async () => {
    const partition = await drop();
    if (partition === null) return 0;
    logger.info({ partition }, `a partition of ${what} had its time and is dropped`);
    return 1;
  });
}
