import { WorkflowIdReusePolicy } from '@temporalio/common';
import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import { EVERY_ENVIRONMENT, searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const CLOSE_BILLING_MONTH_WORKFLOW = 'closeBillingMonth';
export type CloseBillingMonthInput = BillingMonthRef;
export interface CloseBillingMonthResult {
  /** Null where nothing of the month is charged. */
  invoiceId: string | null;
}

const DESCRIPTION = descriptionOf({
  does:
    'Closes a UTC month of a workspace: waits until no transaction is open that may count in it, keeps what the month came to, and makes, opens ' +
    'and hands on its invoice.',
  standsStill:
    'Its current details name what it waits for: a transaction that has been open since before the month ended (`pg_stat_activity`), or the ' +
    'payment provider. It may be terminated: the sweep starts it again, and it makes no second invoice.',
});

/** The sweep starts it from five minutes after the end of the month on. One that runs is left alone; one that was terminated is run again. */
export function closeBillingMonthStart(ref: BillingMonthRef, taskQueue: string): Start<[CloseBillingMonthInput]> {
  const { workspaceId, month } = ref;
  return {
    type: CLOSE_BILLING_MONTH_WORKFLOW,
    options: {
      workflowId: `billing-month/${workspaceId}/${month}`,
      taskQueue,
      args: [{ workspaceId, month }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: priorityOf('maintenance', workspaceId),
      staticSummary: summaryOf('closes the month', month),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({ workspaceId, environment: EVERY_ENVIRONMENT }),
    },
  };
}
