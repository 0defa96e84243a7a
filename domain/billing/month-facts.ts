import type { Allowance, PlanName } from '../plans.ts';

/** The meters whose month is one count. Executions are billed when they settle, and have months of admission. */
export type CountedMeter = Exclude<Allowance, 'executions'>;

/** A month's facts about money, in plain JSON for snapshots. Invoice lines follow from it and the price list alone. */
export interface MonthFacts {
  /** `YYYY-MM`, UTC. */
  month: string;
  /** When the workspace was made, if that was in this month (ISO); else null. */
  madeAt: string | null;
  /** The plan at the beginning of the month, or when the workspace was made. */
  firstPlan: PlanName;
  /** The changes in the month, the oldest first. */
  changes: readonly { to: PlanName; at: string }[];
  used: Readonly<Record<CountedMeter, number>>;
  /** Executions that settled as succeeded in this month, by the month of their admission: this month first, the others from the oldest on. */
  executions: readonly SettledExecutions[];
  /** Executions of earlier invoices that their providers took back in this month. */
  reversals: readonly ReversedExecutions[];
}

export interface SettledExecutions {
  admittedIn: string;
  /** The plan at the end of that month, whose allowance and price they have. */
  plan: PlanName;
  /** How many of that month are on earlier invoices, without those that were taken back. */
  billedBefore: number;
  succeeded: number;
}

export interface ReversedExecutions {
  admittedIn: string;
  plan: PlanName;
  /** How many of that month are on invoices, without those that were taken back before. */
  billedBefore: number;
  reversed: number;
  /** The line that charged them; null where that month has no invoice. */
  corrects: { invoiceId: string; lineId: string } | null;
}

export function lastPlanOf({ firstPlan, changes }: Pick<MonthFacts, 'firstPlan' | 'changes'>): PlanName {
  return changes.at(-1)?.to ?? firstPlan;
}
