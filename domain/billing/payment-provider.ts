/** What a month came to, for a provider that charges: absolute totals, so that a repeated push changes nothing. */
export interface MonthTotals {
  workspaceId: string;
  /** `YYYY-MM`. */
  month: string;
  invoiceId: string;
  currency: string;
  total: number;
}

/** The port to whoever collects the money. Each call may be repeated after a crash, and changes nothing then. */
export interface PaymentProvider {
  pushTotals(totals: MonthTotals): Promise<void>;
  /** The invoice is open: it may be charged. */
  finalise(totals: MonthTotals): Promise<void>;
  hostedInvoice(invoiceId: string): Promise<{ hostedUrl: string | null; pdfUrl: string | null }>;
}

/** Nobody collects: paid plans are closed. */
export const NO_PAYMENT_PROVIDER: PaymentProvider = {
  pushTotals: () => Promise.resolve(),
  finalise: () => Promise.resolve(),
  hostedInvoice: () => Promise.resolve({ hostedUrl: null, pdfUrl: null }),
};
