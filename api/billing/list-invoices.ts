import type { z } from 'zod';
import { type InvoiceRecord, listInvoices } from '../../db/billing/invoices.ts';
import { amountDueOf } from '../../domain/billing/invoices.ts';
import { isoPeriod, periodOf } from '../../domain/billing/periods.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { invoiceSchema, invoicesQuery } from './usage-schemas.ts';

export const listInvoicesRoute = defineRoute({
  of: 'environment',
  id: 'billing.invoices',
  method: 'GET',
  path: '/api/v2/billing/invoices',
  summary: 'List the invoices',
  description:
    'The newest month first. An invoice that was issued never changes: what settles later, or is taken back, is a line of a later one. Empty ' +
    'until paid plans open.',
  scope: 'billing:read',
  role: 'admin',
  exempt: { foreignLists: 'Invoices are of the workspace, and the same in all of its environments.' },
  request: { query: invoicesQuery },
  response: { 200: invoiceSchema.array() },
  list: async (tx, { query: { status = null }, page }) =>
    presented(await listInvoices(tx, { status, ...page }), presentInvoice),
});

function presentInvoice(invoice: InvoiceRecord): z.input<typeof invoiceSchema> {
  const { id, number, status, currency, lines, subtotal, tax, total, hostedUrl, pdfUrl } = invoice;
  const corrected = new Set(lines.flatMap(({ corrects }) => (corrects === null ? [] : [corrects.invoiceId])));
  return {
    id,
    number,
    status,
    currency,
    period: isoPeriod(periodOf(invoice.firstDay.slice(0, 'YYYY-MM'.length))),
    lines,
    subtotal,
    tax,
    total,
    amountDue: amountDueOf({ status, total }),
    issuedAt: shown(invoice.issuedAt),
    dueAt: shown(invoice.dueAt),
    paidAt: shown(invoice.paidAt),
    voidedAt: shown(invoice.voidedAt),
    quantitiesSnapshotAt: invoice.snapshotAt.toISOString(),
    preceding: [...corrected].map((invoiceId) => ({ invoiceId, reason: 'correction' as const })),
    hostedUrl,
    pdfUrl,
  };
}

function shown(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
