import type { BudgetCaps, BudgetSums } from '../../domain/budgets.ts';

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
export const BUDGET_COLUMNS = `
    b.api_key_id AS "apiKeyId", to_char(${THIS_MONTH}, 'YYYY-MM') AS month,
    jsonb_strip_nulls(jsonb_build_object('total', b.total, 'messages', b.messages, 'events', b.events,
      'cacheLookups', b.cache_lookups, 'memoryOperations', b.memory_operations, 'invocations', b.invocations)) AS caps,
    s.used, s.reserved, b.created_at AS "createdAt", b.updated_at AS "updatedAt", now() AS "readAt",
    EXISTS (SELECT FROM api_key_unknown_usage n WHERE n.api_key_id = b.api_key_id AND n.month = ${THIS_MONTH})
      AS "reconciliationRequired"`;

/** To `budgets b`: the amounts of its key in this month. */
export const BUDGET_SUMS = `
  CROSS JOIN LATERAL (
    SELECT ${sums('used')} AS used, ${sums('reserved')} AS reserved
    FROM api_key_usage u WHERE u.api_key_id = b.api_key_id AND u.month = ${THIS_MONTH}) s`;
