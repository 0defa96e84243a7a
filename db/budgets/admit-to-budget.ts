import {
  ADMISSION_ESTIMATE_MICROCENTS,
  BUDGET_KIND_COLUMNS,
  BUDGET_KINDS,
  BUDGET_UNIT,
  type BudgetKind,
} from '../../domain/budgets.ts';
import { ServiceError } from '../../domain/errors.ts';
import { usageResetsAt } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface Admission {
  /** The caller whose budget counts. Sessions have no budget. */
  apiKeyId: string;
  kind: BudgetKind;
  /** The number of operations; for a batch, all that are planned. */
  count: number;
  /**
   * Set for an invocation: its reservation is settled or released when the invocation ends. All other operations count as used at
   * once.
   */
  invocationId?: string;
}

interface Verdict {
  verdict: 'admitted' | 'exceeded' | 'paused';
  cap_name: string | null;
  cap: string | null;
  taken: string | null;
}

/**
 * Counts operations against the budget of a key, all of them or none, in the transaction that admits them. Keys without a budget
 * are counted too. Call it before `consumeAllowance`: counters are locked in this order everywhere.
 * @throws {ServiceError} BUDGET_EXCEEDED, BUDGET_RECONCILIATION_REQUIRED; nothing is counted then.
 */
export async function admitToBudget(tx: EnvironmentTransaction, admission: Admission): Promise<void> {
  const { apiKeyId, kind, count, invocationId = null } = admission;
  const amount = ADMISSION_ESTIMATE_MICROCENTS[kind] * count;
  const { rows } = await tx.raw<{ rows: Verdict[] }>(
    `SELECT verdict, cap_name, cap, taken
     FROM admit_to_budget(:apiKeyId, :kind, CAST(:amount AS bigint), CAST(:invocationId AS text))`,
    { apiKeyId, kind: BUDGET_KIND_COLUMNS[kind], amount, invocationId },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('admit_to_budget answers one row');
  if (row.verdict === 'paused') throw new ServiceError('BUDGET_RECONCILIATION_REQUIRED');
  if (row.verdict === 'exceeded') throw new BudgetExceededError(apiKeyId, row, amount);
}

/** A caller that rolls its transaction back notes the refusal in another (`noteBudgetRefusal`). */
export class BudgetExceededError extends ServiceError {
  readonly refusal: { apiKeyId: string; capName: string; cap: string; taken: string };

  constructor(apiKeyId: string, verdict: Verdict, amount: number) {
    super('BUDGET_EXCEEDED', { message: exceeded(verdict, amount) });
    const { cap_name: capName, cap, taken } = verdict;
    if (capName === null || cap === null || taken === null) throw new Error('a cap that is exceeded has a height');
    this.refusal = { apiKeyId, capName, cap, taken };
  }
}

function exceeded({ cap_name, cap, taken }: Verdict, amount: number): string {
  const of = BUDGET_KINDS.find((kind) => BUDGET_KIND_COLUMNS[kind] === cap_name) ?? 'total';
  return (
    `The budget of this API key caps ${of} at ${cap} ${BUDGET_UNIT} a month; ${taken} are used or reserved, and this request is ` +
    `reckoned at ${amount}. Nothing of it was admitted. The month ends at ${usageResetsAt(new Date()).toISOString()}; a holder of budgets:write can raise the cap.`
  );
}
