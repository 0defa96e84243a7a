import {
  type AlertTargetRow,
  checkUsage,
  findAlertTargets,
  findUnclosedMonths,
  findUsageCrossings,
  noteCrossing,
  type UsageCrossing,
} from '../../db/billing/directory.ts';
import { readAlertTarget } from '../../db/billing/subscription.ts';
import { readEstimate } from '../../db/billing/month-facts.ts';
import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import { monthOf } from '../../domain/billing/periods.ts';
import type { SweepArea, SweepDependencies } from './sweep-rows.ts';
import type { SweepStep } from './sweep-steps.ts';

/** Starts the closing of months that have ended. Months of a workspace are closed one after the other. */
export const unclosedMonths: SweepArea<BillingMonthRef, 'closeBillingMonth'> = {
  find: ({ db }, page) => findUnclosedMonths(db, page),
  idOf: ({ workspaceId }) => workspaceId,
  mend: (deps, refs) => Promise.all(refs.map((ref) => deps.closeBillingMonth(ref))),
  batchSize: 1,
};

/** Tells of allowances that have reached a threshold, once for each threshold and month. A row that was told of is found no more. */
export const usageThresholds: SweepArea<UsageCrossing> = {
  find: ({ db }, page) => findUsageCrossings(db, page),
  idOf: ({ id }) => id,
  mend: ({ db }, crossings) =>
    Promise.all(crossings.map((one) => db.withEnvironment(one, (tx) => noteCrossing(tx, one)))),
  batchSize: 1,
};

/** Tells of alert targets that have reached a threshold, in the same way. */
export const alertTargets: SweepArea<AlertTargetRow, 'prices'> = {
  find: ({ db }, page) => findAlertTargets(db, page),
  idOf: ({ workspaceId }) => workspaceId,
  mend: (deps, rows) => Promise.all(rows.map((row) => tellOfTarget(deps, row))),
  batchSize: 1,
};

async function tellOfTarget({ db, prices }: SweepDependencies<'prices'>, row: AlertTargetRow): Promise<void> {
  await db.withEnvironment(row, async (tx) => {
    const { target, thresholds } = await readAlertTarget(tx);
    if (target === null) return;
    const { subtotal, period } = await readEstimate(tx, prices);
    const reached = thresholds.filter((percent) => BigInt(subtotal) * 100n >= BigInt(target.amount) * BigInt(percent));
    for (const threshold of subtotal > 0 ? reached : []) {
      await noteCrossing(tx, {
        month: monthOf(period.start),
        meter: 'spend',
        threshold,
        used: subtotal,
        allowed: target.amount,
        currency: target.currency,
      });
    }
  });
}

/**
 * Checks the invariants of usage once a UTC day, from yesterday on. The log and this worker's metrics show failures.
 */
export const USAGE_INVARIANT_STEPS: Readonly<Record<string, SweepStep<'metrics'>>> = {
  async recount({ db, logger, metrics }) {
    const drift = await checkUsage(db);
    if (drift === null) return 0;
    for (const found of drift) logger.error({ ...found }, 'an invariant of usage does not hold: docs/billing.md');
    metrics.set('agent_actions_usage_drift', {}, drift.length);
    return drift.length;
  },
};
