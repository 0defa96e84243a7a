import { ServiceError } from '../../domain/errors.ts';
import { type Allowance, PLAN_TABLE, type PlanName, PLANS, usageResetsAt } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { meaning } from '../refused.ts';

const WHAT: Record<Allowance, string> = {
  executions: 'action executions',
  messages: 'messages',
  egress: 'bytes of egress',
  memory_processing: 'memory operations',
  notification_emails: 'notification e-mails',
};

/** A limited allowance, as the workspace's row and the database's clock say. */
interface UsedUp {
  plan: PlanName;
  /** A whole number, as a text. */
  allowed: string | null;
  /** RFC 3339. */
  now: string;
}

/** The facts of a `UsedUp`, of the columns `plan` and `allowed`. */
const USED_UP = `jsonb_build_object('plan', plan, 'allowed', allowed::text, 'now', now())`;

/** `left` says how little is left (docs/plans-and-limits.md). */
function quotaExceeded(
  { plan, allowed, now }: UsedUp,
  allowance: Allowance,
  left = 'all of them are used',
): ServiceError {
  return new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${PLAN_TABLE[plan].title} plan includes ${allowed} ${WHAT[allowance]} a month, and ${left}. ` +
      `The allowance begins again at ${usageResetsAt(new Date(now)).toISOString()}; a larger plan has more.`,
  });
}

/**
 * Refuses new work once the workspace has used up this allowance of the UTC month: for work that takes from it later, by an amount
 * that is unknown beforehand. Nothing is taken or locked here, and work that was admitted before continues.
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseUsedUp(tx: EnvironmentTransaction, allowance: Allowance): Promise<void> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances[allowance]]));
  const look = tx.raw(
    'refuse_used_up',
    `WITH known AS (
       SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed FROM workspaces WHERE id = current_workspace_id())
     SELECT refuse(${USED_UP}) FROM known
     WHERE allowed IS NOT NULL AND allowed <= (
       SELECT COALESCE(sum(used), 0) FROM monthly_usage
       WHERE workspace_id = current_workspace_id() AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
         AND allowance = :allowance)`,
    { limits: JSON.stringify(limits), allowance },
  );
  await look.catch(meaning<UsedUp>((usedUp) => quotaExceeded(usedUp, allowance)));
}

interface StorageRow {
  plan: PlanName;
  allowed: string | null;
  /** Null without a limit. */
  used: string | null;
}

/**
 * Whether what the workspace stores is within its plan, with what this transaction adds. Call it after the rows that add. Files are counted
 * exactly: their count is locked, so that two that ask at once cannot both pass. What others add to runs, sessions and the cache at this moment is
 * not seen. Returns how many bytes are left, null for a plan without a limit.
 *
 * @throws {ServiceError} QUOTA_EXCEEDED, never on a plan without a limit.
 */
export async function refuseFullStorage(tx: EnvironmentTransaction): Promise<number | null> {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].storageBytes]));
  // Nothing is summed up where there is no limit.
  const full = await tx.row<StorageRow>(
    'refuse_full_storage',
    `SELECT w.plan, w.allowed, u.bytes AS used
     FROM (SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed FROM workspaces WHERE id = current_workspace_id()) w
     LEFT JOIN LATERAL (SELECT
         coalesce((SELECT f.bytes FROM storage_used f WHERE f.workspace_id = current_workspace_id()), 0)
         + coalesce((SELECT sum(s.bytes) FROM stored_state s WHERE s.workspace_id = current_workspace_id()), 0) AS bytes
       WHERE w.allowed IS NOT NULL) u ON true`,
    { limits: JSON.stringify(limits) },
  );
  if (full === null) throw new Error('storage is asked for in the transaction of a workspace that exists');
  if (full.allowed === null) return null;
  const left = Number(full.allowed) - Number(full.used);
  if (left >= 0) return left;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${PLAN_TABLE[full.plan].title} plan includes ${full.allowed} bytes of storage for files, runs, sessions and cached answers, and with ` +
      `this the workspace would use ${full.used}. Delete some of them; a larger plan has more. Nothing was stored.`,
  });
}

/** The number of rows over which an unlimited count is spread; enough for the connections of a few processes. */
const UNLIMITED_SHARDS = 16;

/**
 * Takes `amount` (a whole number, at least 1) from the workspace's allowance of this UTC month, in the transaction that admits
 * the work, and adds it to the day of its environment. A rollback of the admission takes it back too. Call it late in the transaction: the row of a limited allowance stays
 * locked until the commit. It counts on every plan, so that a workspace that changes its plan keeps its count. The month is that
 * of the transaction's start, to the millisecond that records keep as their `createdAt`.
 * @throws {ServiceError} QUOTA_EXCEEDED, with nothing taken (docs/plans-and-limits.md).
 */
export async function consumeAllowance(
  tx: EnvironmentTransaction,
  allowance: Allowance,
  amount: number,
): Promise<void> {
  const consume = tx.raw(
    'consume_allowance',
    `${CONSUME} SELECT CASE WHEN NOT EXISTS (SELECT FROM consumed) THEN refuse(${USED_UP}) END FROM known`,
    consumeValues(allowance, amount),
  );
  await consume.catch(
    meaning<UsedUp>((usedUp) =>
      quotaExceeded(usedUp, allowance, amount === 1 ? undefined : `fewer than the ${amount} asked for are left`),
    ),
  );
}

/** The same, but returns false where the allowance does not suffice, and the transaction goes on. */
export async function tryToConsumeAllowance(
  tx: EnvironmentTransaction,
  allowance: Allowance,
  amount: number,
): Promise<boolean> {
  const row = await tx.row<{ consumed: boolean }>(
    'try_to_consume_allowance',
    `${CONSUME} SELECT EXISTS (SELECT FROM consumed) AS consumed FROM known`,
    consumeValues(allowance, amount),
  );
  return row?.consumed === true;
}

function consumeValues(allowance: Allowance, amount: number) {
  const limits = Object.fromEntries(PLANS.map((plan) => [plan, PLAN_TABLE[plan].allowances[allowance]]));
  return { limits: JSON.stringify(limits), allowance, amount, shards: UNLIMITED_SHARDS };
}

const CONSUME = `WITH known AS (
    SELECT plan, (CAST(:limits AS jsonb) ->> plan)::bigint AS allowed, date_trunc('month', now()::timestamptz(3) AT TIME ZONE 'UTC')::date AS month,
      (now()::timestamptz(3) AT TIME ZONE 'UTC')::date AS day
    FROM workspaces WHERE id = current_workspace_id()
  ), elsewhere AS (
    SELECT COALESCE(sum(u.used), 0) AS used FROM monthly_usage u, known k
    WHERE u.workspace_id = current_workspace_id() AND u.month = k.month AND u.allowance = :allowance AND u.shard <> 0
  ), consumed AS (
    INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
    SELECT current_workspace_id(), month, :allowance,
      CASE WHEN allowed IS NULL THEN floor(random() * :shards) ELSE 0 END, CAST(:amount AS bigint)
    FROM known, elsewhere WHERE allowed IS NULL OR elsewhere.used + :amount <= allowed
    ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
    WHERE (SELECT allowed IS NULL OR u.used + EXCLUDED.used + elsewhere.used <= allowed FROM known, elsewhere)
    RETURNING u.shard
  ), of_day AS (
    INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
    SELECT current_environment_id(), current_workspace_id(), day, :allowance, shard, CAST(:amount AS bigint) FROM known, consumed
    ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used)`;

/**
 * Returns what `consumeAllowance` took in another transaction, which began at `consumedAt`, to the month and the day of that
 * time. Call it once, in the transaction that withdraws the admission.
 */
export async function giveBackAllowance(
  tx: EnvironmentTransaction,
  allowance: Allowance,
  amount: number,
  consumedAt: Date,
): Promise<void> {
  // An admission takes the key's budget before the month. The end of an invocation moves the budget at the commit unless told so.
  await tx.raw('give_back_allowance', 'SET CONSTRAINTS settle_budget IMMEDIATE');
  await tx.raw(
    'give_back_allowance_2',
    `WITH known AS (SELECT CAST(:consumedAt AS timestamptz) AT TIME ZONE 'UTC' AS at),
     of_month AS (
       INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
       SELECT current_workspace_id(), date_trunc('month', at)::date, :allowance, 0, -CAST(:amount AS bigint) FROM known
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
       RETURNING u.shard)
     INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
     SELECT current_environment_id(), current_workspace_id(), at::date, :allowance, shard, -CAST(:amount AS bigint) FROM known, of_month
     ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used`,
    { consumedAt, allowance, amount },
  );
}

/**
 * Adds bytes to the egress of this UTC month and day, in the transaction that records the call, so that each call is counted once. It
 * refuses nothing, because the bytes are spent already; the count is therefore spread over several rows. Call it behind every other
 * statement but `followDelivery`: the holder of one of these rows then waits at most for a subscription and the end of the audit log's
 * chain, whose holders wait for none of these rows, and no two transactions can deadlock on them.
 */
export async function countEgress(tx: EnvironmentTransaction, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await tx.raw(
    'count_egress',
    `WITH of_month AS (
       INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
       VALUES (current_workspace_id(), date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'egress',
         floor(random() * :shards), CAST(:bytes AS bigint))
       ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = u.used + EXCLUDED.used
       RETURNING u.shard)
     INSERT INTO daily_usage AS d (environment_id, workspace_id, day, allowance, shard, used)
     SELECT current_environment_id(), current_workspace_id(), (now() AT TIME ZONE 'UTC')::date, 'egress', shard, CAST(:bytes AS bigint)
     FROM of_month
     ON CONFLICT (environment_id, day, allowance, shard) DO UPDATE SET used = d.used + EXCLUDED.used`,
    { bytes, shards: UNLIMITED_SHARDS },
  );
}
