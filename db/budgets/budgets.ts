import { BUDGET_KIND_COLUMNS, BUDGET_KINDS, type BudgetCaps, type BudgetSums } from '../../domain/budgets.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';

/** A budget with the usage of its key in this month. All amounts are in microcents. */
export interface BudgetRecord {
  apiKeyId: string;
  /** The UTC month of the amounts, for instance `2026-11`. */
  month: string;
  caps: BudgetCaps;
  used: BudgetSums;
  reserved: BudgetSums;
  /** Some of this month's usage was never counted. The key is paused until an operator states it. */
  reconciliationRequired: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** Computed by the database, so that it fits `month`. */
  readAt: Date;
}

const sums = (column: 'used' | 'reserved'): string => `
  jsonb_build_object('total', COALESCE(sum(u.${column}), 0),
    'messages', COALESCE(sum(u.${column}) FILTER (WHERE u.kind = 'messages'), 0),
    'events', COALESCE(sum(u.${column}) FILTER (WHERE u.kind = 'events'), 0),
    'cacheLookups', COALESCE(sum(u.${column}) FILTER (WHERE u.kind = 'cache_lookups'), 0),
    'memoryOperations', COALESCE(sum(u.${column}) FILTER (WHERE u.kind = 'memory_operations'), 0),
    'invocations', COALESCE(sum(u.${column}) FILTER (WHERE u.kind = 'invocations'), 0))`;

const THIS_MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** For `budgets b` with BUDGET_SUMS. */
const BUDGET_COLUMNS = `
    b.api_key_id AS "apiKeyId", to_char(${THIS_MONTH}, 'YYYY-MM') AS month,
    jsonb_strip_nulls(jsonb_build_object('total', b.total, 'messages', b.messages, 'events', b.events,
      'cacheLookups', b.cache_lookups, 'memoryOperations', b.memory_operations, 'invocations', b.invocations)) AS caps,
    s.used, s.reserved, b.created_at AS "createdAt", b.updated_at AS "updatedAt", now() AS "readAt",
    EXISTS (SELECT FROM api_key_unknown_usage n WHERE n.api_key_id = b.api_key_id AND n.month = ${THIS_MONTH})
      AS "reconciliationRequired"`;

/** To `budgets b`: the amounts of its key in this month. */
const BUDGET_SUMS = `
  CROSS JOIN LATERAL (
    SELECT ${sums('used')} AS used, ${sums('reserved')} AS reserved
    FROM api_key_usage u WHERE u.api_key_id = b.api_key_id AND u.month = ${THIS_MONTH}) s`;

/** The budget of a key of the transaction's environment, or null. */
export async function getBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<BudgetRecord | null> {
  return tx.row<BudgetRecord>(
    'get_budget',
    `SELECT ${BUDGET_COLUMNS} FROM budgets b ${BUDGET_SUMS} WHERE b.api_key_id = ?`,
    [apiKeyId],
  );
}

/** The budgets of the transaction's environment, newest first, ties by the key's id. */
export async function listBudgets(tx: EnvironmentTransaction, range: Range): Promise<Page<BudgetRecord>> {
  return pageOf(tx, {
    name: 'list_budgets',
    columns: BUDGET_COLUMNS,
    from: 'budgets b',
    joins: BUDGET_SUMS,
    where: 'b.environment_id = current_environment_id()',
    order: 'b.created_at DESC, b.api_key_id DESC',
    asked: range,
  });
}

/**
 * Waits until no admission of a key is in flight, and blocks new ones until the transaction ends. A budget that is created then
 * includes all earlier usage. Call it before any other budget operation. Returns whether the key exists and is not revoked.
 */
export async function lockBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  // The lock is of the id, whosever it is: without a look at first, anybody who knows a stranger's would hold up its admissions.
  if (!(await isUsable(tx, apiKeyId))) return false;
  await tx.raw('lock_budget', 'SELECT pg_advisory_xact_lock(budget_lock_of(?))', [apiKeyId]);
  return isUsable(tx, apiKeyId);
}

async function isUsable(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  const rows = await tx.rows<unknown>('is_usable', 'SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NULL', [
    apiKeyId,
  ]);
  return rows.length > 0;
}

/**
 * Creates or replaces the budget of a key that the same transaction has locked. A cap may be below what was used; nothing more is
 * admitted then.
 */
export async function putBudget(
  tx: EnvironmentTransaction,
  apiKeyId: string,
  caps: BudgetCaps,
): Promise<{ created: boolean }> {
  const columns = BUDGET_KINDS.map((kind) => BUDGET_KIND_COLUMNS[kind]);
  const rows = await tx.rows<{ created: boolean }>(
    'put_budget',
    `INSERT INTO budgets AS b (api_key_id, environment_id, total, ${columns.join(', ')})
     SELECT k.id, k.environment_id, CAST(:total AS bigint), ${BUDGET_KINDS.map((kind) => `CAST(:${kind} AS bigint)`).join(', ')}
     FROM api_keys k WHERE k.id = :apiKeyId
     ON CONFLICT (api_key_id) DO UPDATE SET total = EXCLUDED.total, updated_at = now(),
       ${columns.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
     RETURNING b.xmax = 0 AS created`,
    {
      apiKeyId,
      total: caps.total ?? null,
      ...Object.fromEntries(BUDGET_KINDS.map((kind) => [kind, caps[kind] ?? null])),
    },
  );
  if (rows[0] === undefined) throw new Error(`key ${apiKeyId} was locked and is gone`);
  return rows[0];
}

/** Removes the caps of a key and keeps its usage. Returns whether it had any. */
export async function deleteBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>('delete_budget', 'DELETE FROM budgets WHERE api_key_id = ?', [
    apiKeyId,
  ]);
  return rowCount === 1;
}
