import type { BillingMonthRef } from '../../domain/billing/month-ref.ts';
import { firstDayOf, periodOf } from '../../domain/billing/periods.ts';
import { type Allowance, PLAN_TABLE, PLANS } from '../../domain/plans.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';

/** The oldest month of each workspace that ended five minutes ago or earlier and was not closed, in the order of the workspaces. */
export async function findUnclosedMonths(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<BillingMonthRef[]> {
  return db.directory.rows<BillingMonthRef>(
    'find_unclosed_months',
    `SELECT workspace_id AS "workspaceId", to_char(month, 'YYYY-MM') AS month FROM find_unclosed_months(?, ?)`,
    [page.afterId, page.limit],
  );
}

/**
 * The virtual ids of all transactions that are open now, of every database and login. Null while the month lasts: each
 * admission counts in the month in which its transaction began, so all that are in question are among them once it has ended.
 */
export async function findOpenTransactions(db: Database, month: string): Promise<string[] | null> {
  const row = await db.directory.row<{ has_ended: boolean; ids: string[] }>(
    'find_open_transactions',
    `SELECT ? <= now() AS has_ended, ARRAY(
       SELECT l.virtualtransaction FROM pg_locks l WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid()
         AND l.virtualxid = l.virtualtransaction ORDER BY 1) AS ids`,
    [periodOf(month).end],
  );
  if (row === null) throw new Error('a statement without a table answers one row');
  return row.has_ended ? row.ids : null;
}

/** Those of these transactions that are still open. */
export async function findStillOpen(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.directory.rows<{ id: string }>(
    'find_still_open',
    `SELECT DISTINCT l.virtualtransaction AS id FROM pg_locks l
     WHERE l.locktype = 'virtualxid' AND l.virtualtransaction = ANY (CAST(? AS text[])) ORDER BY 1`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** A workspace with an alert target, and the environment in which it is told. */
export type AlertTargetRow = Tenant;

/** Workspaces that have an alert target, in the order of their ids. */
export async function findAlertTargets(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<AlertTargetRow[]> {
  return db.directory.rows<AlertTargetRow>(
    'find_alert_targets',
    'SELECT workspace_id AS "workspaceId", environment_id AS "environmentId" FROM find_alert_targets(?, ?)',
    [page.afterId, page.limit],
  );
}

/** Percent of an allowance at which a workspace is told. */
const ALLOWANCE_THRESHOLDS: readonly number[] = [80, 100];

/** A threshold that was reached in a month. */
export interface Crossing {
  /** `YYYY-MM`, UTC. */
  month: string;
  /** `spend`: the alert target. */
  meter: Allowance | 'spend';
  /** Percent. */
  threshold: number;
  /** Pieces or bytes; minor units of `currency` for the alert target, as is `allowed`. */
  used: number;
  allowed: number;
  currency: string | null;
}

export interface UsageCrossing extends Crossing, Tenant {
  id: string;
}

/** The thresholds of monthly allowances that were reached in this month and that nobody was told of, in the order of their ids. */
export async function findUsageCrossings(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<UsageCrossing[]> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances]));
  const rows = await db.directory.rows<Omit<UsageCrossing, 'currency'>>(
    'find_usage_crossings',
    `SELECT id, workspace_id AS "workspaceId", environment_id AS "environmentId", to_char(month, 'YYYY-MM') AS month, meter, threshold,
       used::float8 AS used, allowed::float8 AS allowed
     FROM find_usage_crossings(CAST(:limits AS jsonb), CAST(:thresholds AS integer[]), :afterId, :limit)`,
    { ...page, limits: JSON.stringify(limits), thresholds: ALLOWANCE_THRESHOLDS },
  );
  return rows.map((row) => ({ ...row, currency: null }));
}

/** Notes that a threshold was reached, in the environment where it is told; a trigger raises its event. Once: a repeated call changes nothing. */
export async function noteCrossing(tx: EnvironmentTransaction, crossing: Crossing): Promise<void> {
  const { month, meter, threshold, used, allowed, currency } = crossing;
  await tx.raw(
    'note_crossing',
    `INSERT INTO usage_crossings (workspace_id, month, meter, threshold, environment_id, used, allowed, currency)
     VALUES (current_workspace_id(), CAST(:month AS date), :meter, :threshold, current_environment_id(), :used, :allowed, :currency)
     ON CONFLICT DO NOTHING`,
    { month: firstDayOf(month), meter, threshold, used, allowed, currency },
  );
}

/** An invariant of usage that does not hold. */
export interface UsageDrift {
  rule: 'days_sum_to_month' | 'executions' | 'messages';
  workspace_id: string;
  /** Null for a whole workspace. */
  environment_id: string | null;
  /** The day, or the first of the month, as `YYYY-MM-DD`. */
  day: string;
  allowance: string;
  /** What is kept: of the month for `days_sum_to_month`, of the day for the others. */
  kept: number;
  recounted: number;
}

/**
 * Recounts usage from yesterday on, in one snapshot, the first time that it is called on a UTC day; null afterwards. `days_sum_to_month`: the
 * days of a month sum to it. `executions`: invocations that were admitted, without those that a person resolved as failed. `messages`: at least
 * the kept messages that are charged, and at most one more for each event. Egress, memory operations and e-mails have no recount.
 */
export async function checkUsage(db: Pick<Database, 'directory'>): Promise<UsageDrift[] | null> {
  const row = await db.directory.row<{ drift: UsageDrift[] | null }>('check_usage', 'SELECT check_usage() AS drift');
  return row?.drift ?? null;
}
