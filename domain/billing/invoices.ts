export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** From the day on which an invoice is issued. */
export const DUE_AFTER_DAYS = 30;

/** What of an invoice is still to be paid. A draft is not due yet. */
export function amountDueOf({ status, total }: { status: InvoiceStatus; total: number }): number {
  return status === 'open' || status === 'uncollectible' ? Math.max(0, total) : 0;
}
