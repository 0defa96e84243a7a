import { type Allowance, ALLOWANCES, isPlanName, PLAN_TABLE } from '../../domain/plans.ts';
import type { GroupName } from '../../domain/analytics/metrics.ts';
import type { OnboardingStepId } from '../../domain/analytics/onboarding.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What a meter counted in this UTC month. */
export interface UsedOfMonth {
  meter: Allowance;
  /** In the transaction's environment. */
  used: number;
  /** In all environments of its workspace, and what the plan includes (null without a limit). */
  workspace: { used: number; limit: number | null };
}

/** The transaction's month so far, one item for each meter, in the order of the plans' table, by the database's clock. */
export async function readEnvironmentUsage(tx: EnvironmentTransaction): Promise<{ now: Date; items: UsedOfMonth[] }> {
  const { rows } = await tx.raw<{
    rows: { plan: string; now: Date; meter: Allowance | null; used: string; workspaceUsed: string }[];
  }>(
    'read_environment_usage',
    `WITH month AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS first),
     here AS (
       SELECT allowance, sum(used) AS used FROM daily_usage, month
       WHERE environment_id = current_environment_id() AND day >= first GROUP BY allowance),
     everywhere AS (
       SELECT allowance, sum(used) AS used FROM monthly_usage, month
       WHERE workspace_id = current_workspace_id() AND month = first GROUP BY allowance)
     SELECT w.plan, now() AS now, e.allowance AS meter, COALESCE(h.used, 0) AS used, COALESCE(e.used, 0) AS "workspaceUsed"
     FROM workspaces w LEFT JOIN everywhere e ON true LEFT JOIN here h USING (allowance)
     WHERE w.id = current_workspace_id()`,
  );
  const [any] = rows;
  if (any === undefined || !isPlanName(any.plan))
    throw new Error(`the workspace has no plan that is known: ${any?.plan}`);
  const { allowances } = PLAN_TABLE[any.plan];
  const counted = new Map(rows.map((row) => [row.meter, row]));
  const items = ALLOWANCES.map((meter) => {
    const row = counted.get(meter);
    const workspace = { used: Number(row?.workspaceUsed ?? 0), limit: allowances[meter] };
    return { meter, used: Number(row?.used ?? 0), workspace };
  });
  return { now: any.now, items };
}

/** The groups whose keys are ids of things with a name. */
const NAMED: Partial<Record<GroupName, string>> = {
  action: 'SELECT id, name FROM actions WHERE id = ANY (CAST(:ids AS text[]))',
  policy: 'SELECT id, name FROM approval_policies WHERE id = ANY (CAST(:ids AS text[]))',
  schedule: 'SELECT id, name FROM schedules WHERE id = ANY (CAST(:ids AS text[]))',
};

/** The names of the keys of a group, by key. Keys that are no ids, or of what is gone, have none. */
export async function readNames(
  tx: EnvironmentTransaction,
  group: GroupName,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = NAMED[group];
  if (sql === undefined || ids.length === 0) return new Map();
  const { rows } = await tx.raw<{ rows: { id: string; name: string | null }[] }>({ variantsOf: 'read_names' }, sql, {
    ids,
  });
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
}

/** When each step was first done, as far as its record is kept; null for a step that is open. */
export type Onboarding = Record<OnboardingStepId, Date | null>;

/** The oldest row of a table of environments, by the index that begins with the environment and the time. */
const first = (table: string, more = '', at = 'created_at'): string =>
  `(SELECT ${at} FROM ${table} WHERE environment_id = current_environment_id() ${more} ORDER BY created_at LIMIT 1)`;

/** Decided by people. An approval that was used for its invocation is `consumed`; the index has a range for each status. */
const DECISION = ['approved', 'denied', 'consumed']
  .map((status) => first('approvals', `AND status = '${status}'`, 'decided_at'))
  .join(', ');

/** Messages go after weeks, the days on which they were counted stay. */
const MESSAGE_DAY = `(SELECT day::timestamp AT TIME ZONE 'UTC' FROM daily_usage
  WHERE environment_id = current_environment_id() AND allowance = 'messages' AND used > 0 ORDER BY day LIMIT 1)`;

const STEPS: Record<OnboardingStepId, string> = {
  key_created: first('api_keys'),
  action_created: first('actions'),
  first_preview: first('previews', `AND made_by = 'caller'`),
  first_invocation: first('invocations'),
  action_governed: first('action_versions', `AND definition ->> 'governed' = 'true'`),
  policy_applied: first('approval_policies'),
  approver_added: `(SELECT created_at FROM members WHERE workspace_id = current_workspace_id() ORDER BY created_at OFFSET 1 LIMIT 1)`,
  first_decision: `LEAST(${DECISION})`,
  channel_connected: first('integrations'),
  first_message: `COALESCE(${first('messages')}, ${MESSAGE_DAY})`,
  // A run is dated by its start, and its id rises with it.
  first_run: `(SELECT started_at FROM runs WHERE environment_id = current_environment_id() ORDER BY id LIMIT 1)`,
};

/** Looks at the first record of each kind by an index; it counts nothing, so its cost does not grow with the records. */
export async function readOnboarding(tx: EnvironmentTransaction): Promise<Onboarding> {
  const columns = Object.entries(STEPS).map(([id, sql]) => `${sql} AS ${id}`);
  const { rows } = await tx.raw<{ rows: Onboarding[] }>('read_onboarding', `SELECT ${columns.join(', ')}`);
  const row = rows[0];
  if (row === undefined) throw new Error('a SELECT without FROM returns a row');
  return row;
}
