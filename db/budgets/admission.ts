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
import { meaning } from '../refused.ts';
import { IDEMPOTENCY_RETENTION_HOURS } from '../idempotency/claims.ts';

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
  verdict: 'exceeded' | 'paused';
  cap_name: string | null;
  /** In whole units, beyond the safe integers of JSON: as texts. */
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
  const admit = tx.raw(
    'admit_to_budget',
    `SELECT CASE WHEN a.verdict <> 'admitted' THEN refuse(jsonb_build_object('verdict', a.verdict, 'cap_name', a.cap_name,
       'cap', a.cap::text, 'taken', a.taken::text)) END
     FROM admit_to_budget(:apiKeyId, :kind, CAST(:amount AS bigint), CAST(:invocationId AS text)) a`,
    { apiKeyId, kind: BUDGET_KIND_COLUMNS[kind], amount, invocationId },
  );
  await admit.catch(
    meaning<Verdict>((refused) =>
      refused.verdict === 'paused'
        ? new ServiceError('BUDGET_RECONCILIATION_REQUIRED')
        : new BudgetExceededError(apiKeyId, refused, amount),
    ),
  );
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

/**
 * Notes that a cap refused an operation, once in a month for each cap and its height. The refusal rolls its own transaction back, so this
 * is another: a crash between the two loses the note, and the next refusal makes it.
 */
export async function noteBudgetRefusal(
  tx: EnvironmentTransaction,
  { apiKeyId, capName, cap, taken }: BudgetExceededError['refusal'],
): Promise<void> {
  await tx.raw(
    'note_budget_refusal',
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

/**
 * True where an invocation was admitted under a budget so long ago that the reply of its Idempotency-Key has expired. The caller
 * then gets BUDGET_EFFECT_ALREADY_RESERVED (docs/budgets.md).
 */
export async function hasOldReservation(tx: EnvironmentTransaction, invocationId: string): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'has_old_reservation',
    `SELECT 1 FROM budget_reservations WHERE invocation_id = ? AND created_at < now() - CAST(? AS interval)`,
    [invocationId, `${IDEMPOTENCY_RETENTION_HOURS} hours`],
  );
  return rows.length > 0;
}

/**
 * Records the operator's statement of what a key had used this month before it was counted, and ends the pause that waits for the
 * statement. The caller has locked the key, and puts its budget afterwards; the stated amount may exceed the current budget.
 * Returns false where no usage was unknown.
 */
export async function reconcileUsage(
  tx: EnvironmentTransaction,
  apiKeyId: string,
  usedBefore: { [kind in BudgetKind]?: number | undefined },
): Promise<boolean> {
  const row = await tx.row<{ month: string }>(
    'reconcile_usage',
    `DELETE FROM api_key_unknown_usage
     WHERE api_key_id = ? AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date RETURNING month::text`,
    [apiKeyId],
  );
  const month = row?.month;
  if (month === undefined) return false;
  await tx.raw('reconcile_usage_2', LIFT_CAPS, [apiKeyId]);
  for (const kind of BUDGET_KINDS) {
    const used = usedBefore[kind] ?? 0;
    if (used === 0) continue;
    await tx.raw(
      'reconcile_usage_3',
      `INSERT INTO api_key_usage AS u (environment_id, api_key_id, month, kind, shard, used)
       VALUES (current_environment_id(), :apiKeyId, CAST(:month AS date), :kind, 0, CAST(:used AS bigint))
       ON CONFLICT (api_key_id, month, kind, shard) DO UPDATE SET used = u.used + EXCLUDED.used`,
      { apiKeyId, month, kind: BUDGET_KIND_COLUMNS[kind], used },
    );
  }
  return true;
}

/** The table requires a cap. The highest possible one applies until the new caps are put. */
const LIFT_CAPS = `
  UPDATE budgets SET total = 9223372036854775807, ${BUDGET_KINDS.map((kind) => `${BUDGET_KIND_COLUMNS[kind]} = NULL`).join(', ')}
  WHERE api_key_id = ?`;
