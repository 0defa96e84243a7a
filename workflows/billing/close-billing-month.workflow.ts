import { proxyActivities, setCurrentDetails, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { CloseBillingMonthInput, CloseBillingMonthResult } from '../../temporal/billing/close-billing-month.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { COLLECT_OPTIONS, onQueue, sqlActivities } from '../activity-options.ts';

const LOOK_AGAIN_MS_MIN = 1_000;
const LOOK_AGAIN_MS_MAX = 60_000;

/** Closes a month of a workspace, once: every step finds what it did before. */
export async function closeBillingMonth(ref: CloseBillingMonthInput): Promise<CloseBillingMonthResult> {
  const { snapshotMonth, issueInvoice, finishMonth } = sqlActivities({
    snapshotMonth: 'keeps what the month came to',
    issueInvoice: 'makes and opens the invoice',
    finishMonth: 'marks the month as closed',
  });
  const { collectInvoice } = proxyActivities<Activities>({
    ...COLLECT_OPTIONS,
    ...onQueue('maintenance', ref),
    summary: 'hands the invoice to the payment provider',
  });
  await untilAtRest(ref);
  await snapshotMonth(ref);
  const invoice = await issueInvoice(ref);
  if (invoice !== null) {
    setCurrentDetails(`WAITS: for the payment provider to take invoice ${invoice.invoiceId}`);
    await collectInvoice(ref, invoice);
  }
  await finishMonth(ref);
  setCurrentDetails(invoice === null ? 'CLOSED: nothing is charged' : `CLOSED: invoice ${invoice.invoiceId}`);
  upsertSearchAttributes(searchAttributes({ stage: 'closed' }));
  return { invoiceId: invoice?.invoiceId ?? null };
}

/** Waits for the end of the month by the database's clock, then for every transaction that was open then. */
async function untilAtRest(ref: CloseBillingMonthInput): Promise<void> {
  const { findOpenAdmissions, findStillOpenAdmissions } = sqlActivities({
    findOpenAdmissions: 'finds the transactions that may count in the month',
    findStillOpenAdmissions: 'looks which of them are still open',
  });
  let open = await findOpenAdmissions(ref);
  while (open === null) {
    setCurrentDetails('WAITS: for the end of the month');
    await sleep(LOOK_AGAIN_MS_MAX, { summary: 'waits for the end of the month' });
    open = await findOpenAdmissions(ref);
  }
  for (let waitMs = LOOK_AGAIN_MS_MIN; ; waitMs = Math.min(2 * waitMs, LOOK_AGAIN_MS_MAX)) {
    open = await findStillOpenAdmissions(open);
    if (open.length === 0) return;
    setCurrentDetails(`WAITS: for ${open.length} transactions that began before the month ended, or soon after`);
    await sleep(waitMs, { summary: 'waits for open transactions' });
  }
}
