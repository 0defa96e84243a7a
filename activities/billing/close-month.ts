import { applyPendingChange } from '../../db/billing/subscription.ts';
import * as months from '../../db/billing/invoices.ts';
import { findOpenTransactions, findStillOpen } from '../../db/billing/directory.ts';
import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import type { ActivityDependencies } from '../dependencies.ts';

type InDatabase = Pick<ActivityDependencies, 'db'>;

/** The transactions that may still count in the month; null while the month lasts. */
export function findOpenAdmissions({ db }: InDatabase) {
  return ({ month }: BillingMonthRef): Promise<string[] | null> => findOpenTransactions(db, month);
}

export function findStillOpenAdmissions({ db }: InDatabase) {
  return (ids: string[]): Promise<string[]> => findStillOpen(db, ids);
}

/** Makes the change of plan that waits for the month's end, and keeps what the month came to. Idempotent. */
export function snapshotMonth({ db }: InDatabase) {
  return ({ workspaceId, month }: BillingMonthRef): Promise<void> =>
    db.withWorkspace(workspaceId, async (tx) => {
      await applyPendingChange(tx, month);
      await months.snapshotMonth(tx, month);
    });
}

/** Makes the draft of the month's invoice, and opens it in a transaction of its own. Null where nothing is charged. Idempotent. */
export function issueInvoice({ db, prices }: InDatabase & Pick<ActivityDependencies, 'prices'>) {
  return async ({ workspaceId, month }: BillingMonthRef): Promise<months.MadeInvoice | null> => {
    const made = await db.withWorkspace(workspaceId, (tx) => months.draftInvoice(tx, month, prices));
    if (made !== null) await db.withWorkspace(workspaceId, (tx) => months.openInvoice(tx, made.invoiceId));
    return made;
  };
}

/** Hands an open invoice to the payment provider, as absolute totals. Idempotent, as the provider's port is. */
export function collectInvoice({ db, payments }: InDatabase & Pick<ActivityDependencies, 'payments'>) {
  return async ({ workspaceId, month }: BillingMonthRef, invoice: months.MadeInvoice): Promise<void> => {
    const totals = { workspaceId, month, ...invoice };
    await payments.pushTotals(totals);
    await payments.finalise(totals);
    const hosted = await payments.hostedInvoice(invoice.invoiceId);
    await db.withWorkspace(workspaceId, (tx) => months.keepHostedInvoice(tx, invoice.invoiceId, hosted));
  };
}

/** The month is done. Idempotent. */
export function finishMonth({ db }: InDatabase) {
  return ({ workspaceId, month }: BillingMonthRef): Promise<void> =>
    db.withWorkspace(workspaceId, (tx) => months.finishMonth(tx, month));
}
