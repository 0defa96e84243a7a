import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { BUDGET_COLUMNS, BUDGET_SUMS, type BudgetRecord } from './records.ts';

/** The budgets of the transaction's environment, newest first, ties by the key's id. */
export async function listBudgets(tx: EnvironmentTransaction, range: Range): Promise<Page<BudgetRecord>> {
  return pageOf(tx, {
    columns: BUDGET_COLUMNS,
    from: 'budgets b',
    joins: BUDGET_SUMS,
    where: 'b.environment_id = current_environment_id()',
    order: 'b.created_at DESC, b.api_key_id DESC',
    asked: range,
  });
}
