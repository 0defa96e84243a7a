import type { ActivityDependencies } from '../dependencies.ts';
import { type AreaBudget, areaBudget } from './area-budget.ts';
import type { SweepDependencies, Swept } from './sweep-rows.ts';

/** Repairs inside the database; returns how much it did. Repeatable; does a little even without budget. */
export type SweepStep<Needs extends keyof ActivityDependencies = never> = (
  deps: SweepDependencies<Needs>,
  budget: AreaBudget,
) => Promise<number>;

/** Does the steps of an area in their order. One that fails counts as one failed row, is named in the log, and holds up no other step. */
export async function sweepSteps<Needs extends keyof ActivityDependencies = never>(
  deps: SweepDependencies<Needs>,
  name: string,
  steps: Readonly<Record<string, SweepStep<Needs>>>,
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
