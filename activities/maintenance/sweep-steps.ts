import { type AreaBudget, areaBudget } from './area-budget.ts';
import type { SweepDependencies, Swept } from './sweep-rows.ts';

/**
 * One step of an area whose repairs happen inside the database. Answers how much it did; harmless when repeated. Once the budget is over
 * it does the least that it can, and not nothing, so that no step waits for ever for those before it.
 */
export type SweepStep = (deps: SweepDependencies<'drift'>, budget: AreaBudget) => Promise<number>;

/** Does the steps of an area in their order. One that fails counts as one failed row, is named in the log, and holds up no other step. */
export async function sweepSteps(
  deps: SweepDependencies<'drift'>,
  name: string,
  steps: Readonly<Record<string, SweepStep>>,
  budget: AreaBudget = areaBudget(),
): Promise<Swept> {
  const swept: Swept = { seen: 0, failed: 0 };
  for (const [id, step] of Object.entries(steps)) {
    try {
      swept.seen += await step(deps, budget);
    } catch (error) {
      swept.seen += 1;
      swept.failed += 1;
      deps.logger.warn({ area: name, id, err: error }, 'a step of the sweep failed: the next sweep tries it again');
    }
  }
  return swept;
}
