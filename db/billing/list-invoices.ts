import { type Page, pageOf, type Range } from '../page.ts';
import type { LineDraft } from '../../domain/billing/invoice-lines.ts';
import type { InvoiceStatus } from '../../domain/billing/invoices.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

type Transaction = EnvironmentTransaction | WorkspaceTransaction;

export interface InvoiceRecord {
  id: string;
  /** The first day of its month, as `YYYY-MM-DD`. */
  firstDay: string;
  /** Null while it is a draft. */
  number: number | null;
  status: InvoiceStatus;
  currency: string;
  /** Minor units, as are the next two. */
  subtotal: number;
  tax: number;
  total: number;
  issuedAt: Date | null;
  dueAt: Date | null;
  paidAt: Date | null;
  voidedAt: Date | null;
  snapshotAt: Date;
  hostedUrl: string | null;
  pdfUrl: string | null;
  lines: (LineDraft & { id: string })[];
}

const COLUMNS = `i.id, i.month::text AS "firstDay", i.number, i.status, i.currency, i.subtotal::float8 AS subtotal, i.tax::float8 AS tax,
  i.total::float8 AS total, i.issued_at AS "issuedAt", i.due_at AS "dueAt", i.paid_at AS "paidAt", i.voided_at AS "voidedAt",
  b.snapshot_at AS "snapshotAt", i.hosted_url AS "hostedUrl", i.pdf_url AS "pdfUrl",
  COALESCE((SELECT jsonb_agg(jsonb_build_object('id', l.id) || l.line ORDER BY l.position) FROM invoice_lines l WHERE l.invoice_id = i.id), '[]') AS lines`;

/** One page of the invoices of the transaction's workspace, the newest month first, with the total count. */
export async function listInvoices(
  tx: Transaction,
  asked: { status: InvoiceStatus | null } & Range,
): Promise<Page<InvoiceRecord>> {
  return pageOf(tx, {
    columns: COLUMNS,
    from: 'invoices i',
    joins: 'JOIN billing_months b ON b.workspace_id = i.workspace_id AND b.month = i.month',
    where: 'i.workspace_id = current_workspace_id()',
    filters: { status: 'i.status = :status' },
    order: 'i.month DESC',
    asked,
  });
}
