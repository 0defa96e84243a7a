import { isPlanName, type PlanName } from '../plans.ts';

/** The plans that a workspace has had, from its making on. */
export interface PlanTimeline {
  madeAt: Date;
  /** The plan that it was made with. */
  initial: PlanName;
  /** The oldest first. */
  changes: readonly { to: PlanName; at: Date }[];
}

/**
 * Makes the timeline from the plan of today and the changes, the oldest first. A workspace without a change has had its plan since it was
 * made. Throws for a plan that is not known.
 */
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
