import { isCharged, type LineDraft, linesOf, sumOfLines } from '../../domain/billing/invoice-lines.ts';
import { DUE_AFTER_DAYS, type InvoiceStatus } from '../../domain/billing/invoices.ts';
import { lastPlanOf, type MonthFacts } from '../../domain/billing/month-facts.ts';
import { firstDayOf, periodOf } from '../../domain/billing/periods.ts';
import type { PriceList } from '../../domain/billing/price-list.ts';
import { digestOf } from '../../domain/canonical-json.ts';
import { newId } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { readMonthFacts, readPlanTimeline } from './month-facts.ts';

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
    name: 'list_invoices',
    columns: COLUMNS,
    from: 'invoices i',
    joins: 'JOIN billing_months b ON b.workspace_id = i.workspace_id AND b.month = i.month',
    where: 'i.workspace_id = current_workspace_id()',
    filters: { status: 'i.status = :status' },
    order: 'i.month DESC',
    asked,
  });
}

/** An invoice as it was made of a month. */
export interface MadeInvoice {
  invoiceId: string;
  currency: string;
  /** Minor units. */
  total: number;
}

/** Keeps what the month came to, once: a repeated call keeps the first snapshot. The month has ended and is at rest. */
export async function snapshotMonth(tx: WorkspaceTransaction, month: string): Promise<void> {
  const timeline = await readPlanTimeline(tx);
  const facts = await readMonthFacts(tx, timeline, { month, until: periodOf(month).end, countExecutions: true });
  await tx.raw(
    'snapshot_month',
    `INSERT INTO billing_months (workspace_id, month, plan, quantities)
     VALUES (current_workspace_id(), CAST(:month AS date), :plan, CAST(:facts AS jsonb)) ON CONFLICT DO NOTHING`,
    { month: firstDayOf(month), plan: lastPlanOf(facts), facts: JSON.stringify(facts) },
  );
}

/**
 * Makes the draft of the month's invoice from its snapshot. A repeated call finds the invoice and compares: the same snapshot and the same
 * prices make the same lines. Returns null where the month has no lines. Throws where an invoice is there whose lines are others.
 */
export async function draftInvoice(
  tx: WorkspaceTransaction,
  month: string,
  prices: PriceList,
): Promise<MadeInvoice | null> {
  const facts = await readSnapshot(tx, month);
  const lines = isCharged(facts, prices) || facts.reversals.length > 0 ? linesOf(facts, prices) : [];
  if (lines.length === 0) return null;
  const wanted = { currency: prices.currency, total: sumOfLines(lines), digest: digestOf(lines as unknown as Json) };
  const id = newId('invoice');
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'draft_invoice',
    `INSERT INTO invoices (id, workspace_id, month, currency, subtotal, tax, total, digest)
     VALUES (:id, current_workspace_id(), CAST(:month AS date), :currency, :total, 0, :total, :digest)
     ON CONFLICT (workspace_id, month) DO NOTHING`,
    { ...wanted, id, month: firstDayOf(month) },
  );
  if (rowCount === 1) await insertLines(tx, id, lines);
  const made = await readInvoice(tx, month);
  if (made === null) throw new Error(`the invoice of ${month} was made and is not there`);
  if (made.digest !== wanted.digest)
    throw new Error(`invoice ${made.invoiceId} has other lines than its snapshot makes: the prices have changed`);
  return { invoiceId: made.invoiceId, currency: made.currency, total: made.total };
}

async function readSnapshot(tx: WorkspaceTransaction, month: string): Promise<MonthFacts> {
  const rows = await tx.rows<{ quantities: MonthFacts }>(
    'read_snapshot',
    'SELECT quantities FROM billing_months WHERE workspace_id = current_workspace_id() AND month = CAST(? AS date)',
    [firstDayOf(month)],
  );
  if (rows[0] === undefined) throw new Error(`${month} has no snapshot`);
  return rows[0].quantities;
}

async function insertLines(tx: WorkspaceTransaction, invoiceId: string, lines: readonly LineDraft[]): Promise<void> {
  await tx.raw(
    'insert_lines',
    `INSERT INTO invoice_lines (id, invoice_id, workspace_id, position, amount, line)
     SELECT l.id, :invoiceId, current_workspace_id(), l.position, (l.line ->> 'amount')::bigint, l.line
     FROM jsonb_to_recordset(CAST(:lines AS jsonb)) l (id text, position integer, line jsonb)`,
    {
      invoiceId,
      lines: JSON.stringify(lines.map((line, index) => ({ id: newId('invoiceLine'), position: index + 1, line }))),
    },
  );
}

async function readInvoice(
  tx: WorkspaceTransaction,
  month: string,
): Promise<(MadeInvoice & { digest: string }) | null> {
  return tx.row<MadeInvoice & { digest: string }>(
    'read_invoice',
    `SELECT id AS "invoiceId", currency, total::float8 AS total, digest FROM invoices
     WHERE workspace_id = current_workspace_id() AND month = CAST(? AS date)`,
    [firstDayOf(month)],
  );
}

/**
 * Opens the draft of a month, with the next number of the workspace. Who opens one waits for the number of the one before, and a rollback
 * gives the number back, so there is no gap. A repeated call changes nothing.
 */
export async function openInvoice(tx: WorkspaceTransaction, invoiceId: string): Promise<void> {
  const draft = await tx.raw<{ rowCount: number }>(
    'open_invoice',
    `SELECT FROM invoices WHERE id = ? AND status = 'draft' FOR NO KEY UPDATE`,
    [invoiceId],
  );
  if (draft.rowCount === 0) return;
  await tx.raw(
    'open_invoice_2',
    `WITH taken AS (
       INSERT INTO invoice_numbers AS n (workspace_id, last) VALUES (current_workspace_id(), 1)
       ON CONFLICT (workspace_id) DO UPDATE SET last = n.last + 1 RETURNING n.last)
     UPDATE invoices SET status = 'open', number = taken.last, issued_at = now(), due_at = now() + make_interval(days => :days)
     FROM taken WHERE id = :invoiceId AND status = 'draft'`,
    { invoiceId, days: DUE_AFTER_DAYS },
  );
}

/** Keeps where the provider shows an invoice. */
export async function keepHostedInvoice(
  tx: WorkspaceTransaction,
  invoiceId: string,
  { hostedUrl, pdfUrl }: { hostedUrl: string | null; pdfUrl: string | null },
): Promise<void> {
  await tx.raw('keep_hosted_invoice', 'UPDATE invoices SET hosted_url = ?, pdf_url = ? WHERE id = ?', [
    hostedUrl,
    pdfUrl,
    invoiceId,
  ]);
}

/** The month is done: the sweep looks for it no more. A repeated call changes nothing. */
export async function finishMonth(tx: WorkspaceTransaction, month: string): Promise<void> {
  await tx.raw(
    'finish_month',
    `UPDATE billing_months SET closed_at = now()
     WHERE workspace_id = current_workspace_id() AND month = CAST(? AS date) AND closed_at IS NULL`,
    [firstDayOf(month)],
  );
}
