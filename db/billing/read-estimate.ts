import { type Estimate, estimateOf } from '../../domain/billing/estimate.ts';
import { isCharged } from '../../domain/billing/invoice-lines.ts';
import { type Period, periodOf } from '../../domain/billing/periods.ts';
import type { PriceList } from '../../domain/billing/price-list.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { currentMonth, readMonthFacts, readPlanTimeline } from './read-month-facts.ts';
import { readSubscription } from './read-subscription.ts';

export interface MonthSoFar extends Estimate {
  period: Period;
  /** The start of the transaction, by the database's clock. */
  asOf: Date;
}

/** What this UTC month has come to for the transaction's workspace. Executions are counted only where something is charged. */
export async function readEstimate(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  prices: PriceList,
): Promise<MonthSoFar> {
  const [{ now }, timeline] = await tx.inOrder(
    () => readSubscription(tx),
    () => readPlanTimeline(tx),
  );
  const asked = currentMonth(now);
  const uncounted = await readMonthFacts(tx, timeline, { ...asked, countExecutions: false });
  const facts = isCharged(uncounted, prices)
    ? await readMonthFacts(tx, timeline, { ...asked, countExecutions: true })
    : uncounted;
  return { ...estimateOf(facts, prices, now), period: periodOf(asked.month), asOf: now };
}
