import type { OnboardingStepId } from '../../domain/analytics/onboarding.ts';
import type { EnvironmentTransaction } from '../client.ts';

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
