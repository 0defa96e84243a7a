import { isPlanName, type PlanName } from '../plans.ts';

/** The plans that a workspace has had, from its making on. */
export interface PlanTimeline {
  madeAt: Date;
  initial: PlanName;
  /** The oldest first. */
  changes: readonly { to: PlanName; at: Date }[];
}

/** The timeline from today's plan and the changes, oldest first. Throws for an unknown plan. */
export function timelineOf(
  today: { plan: string; madeAt: Date },
  changes: readonly { from: string; to: string; at: Date }[],
): PlanTimeline {
  return {
    madeAt: today.madeAt,
    initial: known(changes[0]?.from ?? today.plan),
    changes: changes.map(({ to, at }) => ({ to: known(to), at })),
  };
}

/** The plan at an instant. A change is in force from its own instant on. */
export function planAt({ initial, changes }: PlanTimeline, at: Date): PlanName {
  return changes.findLast((change) => change.at <= at)?.to ?? initial;
}

function known(plan: string): PlanName {
  if (!isPlanName(plan)) throw new Error(`the workspace had a plan that is not known: ${plan}`);
  return plan;
}
