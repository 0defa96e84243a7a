import type { Client } from '@temporalio/client';
import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import { closeBillingMonthStart } from '../../temporal/billing/close-billing-month.ts';
import { startOnce } from '../starts/start-workflow.ts';

/** Starts the closing of a month, unless it runs or has ended. */
export async function startBillingMonth(client: Client, ref: BillingMonthRef, taskQueue: string): Promise<void> {
  await startOnce(client, closeBillingMonthStart(ref, taskQueue));
}
