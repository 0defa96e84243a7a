import type { EnvironmentTransaction } from '../client.ts';
import { BudgetExceededError } from './admit-to-budget.ts';

/**
 * Notes that a cap refused an operation, once in a month for each cap and its height. The refusal rolls its own transaction back, so this
 * is another: a crash between the two loses the note, and the next refusal makes it.
 */
export async function noteBudgetRefusal(
  tx: EnvironmentTransaction,
  { apiKeyId, capName, cap, taken }: BudgetExceededError['refusal'],
): Promise<void> {
  await tx.raw(
    `INSERT INTO budget_crossings (environment_id, api_key_id, month, cap_name, taken, cap)
     VALUES (current_environment_id(), :apiKeyId, date_trunc('month', now() AT TIME ZONE 'UTC')::date, :capName, CAST(:taken AS bigint), CAST(:cap AS bigint))
     ON CONFLICT DO NOTHING`,
    { apiKeyId, capName, cap, taken },
  );
}

/** The same for a caller that records any failure. */
export async function noteIfOfBudget(tx: EnvironmentTransaction, error: unknown): Promise<void> {
  if (error instanceof BudgetExceededError) await noteBudgetRefusal(tx, error.refusal);
}
