import type { TestDatabase } from '../../harness/database.ts';
import { newId } from '../../../domain/ids.ts';

/** Plants the invoice of one more month, the newest before those that are there. One line of so many minor units. */
export async function plantInvoice(
  { asOwner, tenant }: Pick<TestDatabase, 'asOwner' | 'tenant'>,
  { amount = 4_900, open = true }: { amount?: number; open?: boolean } = {},
): Promise<string> {
  const [id, lineId] = [newId('invoice'), newId('invoiceLine')];
  const [made] = await asOwner<{ month: string; end: string }>(
    `INSERT INTO billing_months (workspace_id, month, plan, quantities)
     SELECT $1, (COALESCE((SELECT min(month) FROM billing_months WHERE workspace_id = $1), date_trunc('month', now() AT TIME ZONE 'UTC')::date) - interval '1 month')::date,
       'growth', '{"executions": [], "reversals": []}' RETURNING month::text, (month + interval '1 month')::date::text AS "end"`,
    [tenant.workspaceId],
  );
  const month = made?.month ?? '';
  await asOwner(
    `INSERT INTO invoices (id, workspace_id, month, currency, subtotal, tax, total, digest) VALUES ($1, $2, $3, 'usd', $4, 0, $4, 'sha256:0')`,
    [id, tenant.workspaceId, month, amount],
  );
  const line = {
    type: 'plan',
    meter: null,
    description: 'Growth, the month',
    period: { start: `${month}T00:00:00.000Z`, end: `${made?.end ?? ''}T00:00:00.000Z` },
    meteredQuantity: null,
    includedQuantity: null,
    billableQuantity: null,
    unitPrice: null,
    amount,
    proration: null,
    corrects: null,
  };
  await asOwner(
    `INSERT INTO invoice_lines (id, invoice_id, workspace_id, position, amount, line) VALUES ($1, $2, $3, 1, $4, $5)`,
    [lineId, id, tenant.workspaceId, amount, JSON.stringify(line)],
  );
  if (open) {
    await asOwner(
      `UPDATE invoices SET status = 'open', number = (SELECT COALESCE(max(number), 0) + 1 FROM invoices WHERE workspace_id = $2),
         issued_at = now(), due_at = now() + interval '30 days' WHERE id = $1`,
      [id, tenant.workspaceId],
    );
  }
  return id;
}
