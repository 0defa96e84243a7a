/** A monthly cap on a key's use, in integer microcents (a millionth of a cent). What counts: docs/budgets.md. */
export const BUDGET_UNIT = 'microcents';

/** What a budget covers, as the API names it. */
export const BUDGET_KINDS = ['messages', 'events', 'cacheLookups', 'memoryOperations', 'invocations'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export const BUDGET_KIND_COLUMNS = {
  messages: 'messages',
  events: 'events',
  cacheLookups: 'cache_lookups',
  memoryOperations: 'memory_operations',
  invocations: 'invocations',
} as const satisfies Record<BudgetKind, string>;

/** Admission's charge for one operation: an estimate, not a price (docs/budgets.md, "What counts"). */
export const ADMISSION_ESTIMATE_MICROCENTS: Readonly<Record<BudgetKind, number>> = {
  messages: 1_000,
  events: 1_000,
  cacheLookups: 500,
  memoryOperations: 5_000,
  invocations: 10_000,
};

/** From this part of a cap on, `budget.threshold` is raised. */
export const BUDGET_THRESHOLD_PERCENT = 80;

export const BUDGET_ERRORS = ['BUDGET_EXCEEDED', 'BUDGET_RECONCILIATION_REQUIRED'] as const;

/** Sums of a month are kept exact in JSON. */
export const CAP_MICROCENTS_MAX = Number.MAX_SAFE_INTEGER;
/** The most of each kind that may count as used before: ten million dollars. Their sum, and what is used later, stay exact too. */
export const USED_BEFORE_MICROCENTS_MAX = 1_000_000_000_000_000;

export type BudgetCaps = { [kind in BudgetKind | 'total']?: number | undefined };
export type BudgetSums = Record<BudgetKind | 'total', number>;
