import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import type { Database } from '../client.ts';

/** The oldest month of each workspace that ended five minutes ago or earlier and was not closed, in the order of the workspaces. */
export async function findUnclosedMonths(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<BillingMonthRef[]> {
  const { rows } = await db.directory.raw<{ rows: BillingMonthRef[] }>(
    `SELECT workspace_id AS "workspaceId", to_char(month, 'YYYY-MM') AS month FROM find_unclosed_months(?, ?)`,
    [page.afterId, page.limit],
  );
  return rows;
}
