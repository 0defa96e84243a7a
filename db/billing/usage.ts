import { PENDING_FREE_STANDING_MAX } from '../../domain/approvals/limits.ts';
import type { HeldName, QuotaFacts } from '../../domain/billing/quotas.ts';
import { CACHE_ENTRIES_MAX } from '../../domain/cache/cache.ts';
import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import { TOPICS_PER_ENVIRONMENT_MAX } from '../../domain/events/topics.ts';
import { KEYS_PER_ENVIRONMENT_MAX } from '../../domain/flow-control/flow-control.ts';
import { LIVE_LIMITS_MAX } from '../../domain/impact-limits/limits.ts';
import { INTEGRATIONS_PER_ENVIRONMENT_MAX } from '../../domain/integrations/integrations.ts';
import { COLLECTIONS_MAX } from '../../domain/memory/memories.ts';
import { LIVE_PREVIEWS_MAX } from '../../domain/previews/limits.ts';
import { SCHEDULES_PER_ENVIRONMENT_MAX } from '../../domain/schedules/schedules.ts';
import { GROUPS_PER_ENVIRONMENT_MAX } from '../../domain/url-groups/url-groups.ts';
import { type Allowance, ALLOWANCES, usageResetsAt } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { readUsage } from '../plans/plans.ts';
import { readSubscription } from './month-facts.ts';

const LIMITS: Record<HeldName, number> = {
  previews: LIVE_PREVIEWS_MAX,
  approvals: PENDING_FREE_STANDING_MAX,
  impactLimits: LIVE_LIMITS_MAX,
  cachedAnswers: CACHE_ENTRIES_MAX,
  memoryCollections: COLLECTIONS_MAX,
  schedules: SCHEDULES_PER_ENVIRONMENT_MAX,
  integrations: INTEGRATIONS_PER_ENVIRONMENT_MAX,
  urlGroups: GROUPS_PER_ENVIRONMENT_MAX,
  flowControlKeys: KEYS_PER_ENVIRONMENT_MAX,
  topics: TOPICS_PER_ENVIRONMENT_MAX,
};

/**
 * What the environment of the transaction holds of everything that is capped there, with the caps. Each is counted as the statement counts
 * it that enforces the cap; none holds more rows than its cap.
 */
async function readHeld(tx: EnvironmentTransaction): Promise<Record<HeldName, { used: number; limit: number }>> {
  const used = await tx.row<Record<HeldName, number>>(
    'read_held',
    `SELECT
       (SELECT count(*)::int FROM unused_previews WHERE environment_id = current_environment_id() AND expires_at > now()) AS "previews",
       (SELECT count(*)::int FROM approvals WHERE environment_id = current_environment_id() AND kind = 'free_standing' AND status = 'pending') AS "approvals",
       (SELECT count(*)::int FROM impact_limits WHERE environment_id = current_environment_id() AND archived_at IS NULL) AS "impactLimits",
       (SELECT count(*)::int FROM cache_entries WHERE environment_id = current_environment_id() AND expires_at > now()) AS "cachedAnswers",
       (SELECT count(*)::int FROM memory_collections WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "memoryCollections",
       (SELECT count(*)::int FROM schedules WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "schedules",
       (SELECT count(*)::int FROM integrations WHERE environment_id = current_environment_id()) AS "integrations",
       (SELECT count(*)::int FROM url_groups WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "urlGroups",
       (SELECT count(*)::int FROM lanes WHERE environment_id = current_environment_id()) AS "flowControlKeys",
       (SELECT count(*)::int FROM topics WHERE environment_id = current_environment_id() AND deleted_at IS NULL AND name <> :service) AS "topics"`,
    { service: SERVICE_TOPIC },
  );
  if (used === null) throw new Error('a statement without a table answers one row');
  const names = Object.keys(LIMITS) as HeldName[];
  const held = names.map((name) => [name, { used: used[name], limit: LIMITS[name] }]);
  return Object.fromEntries(held) as Record<HeldName, { used: number; limit: number }>;
}

/** What the workspace has used and stores, and what the environment of the transaction holds. Storage and usage are in bytes and pieces. */
export async function readQuotaFacts(tx: EnvironmentTransaction): Promise<QuotaFacts> {
  const [{ plan, now }, used, kept, held] = await tx.inOrder(
    () => readSubscription(tx),
    () => readUsage(tx),
    () => readKept(tx),
    () => readHeld(tx),
  );
  return { plan, resetsAt: usageResetsAt(now), used, ...kept, held };
}

async function readKept(tx: EnvironmentTransaction): Promise<Pick<QuotaFacts, 'storageBytes' | 'environments'>> {
  const rows = await tx.rows<{ bytes: string; environments: number }>(
    'read_kept',
    `SELECT (COALESCE((SELECT f.bytes FROM storage_used f WHERE f.workspace_id = current_workspace_id()), 0)
         + COALESCE((SELECT sum(s.bytes) FROM stored_state s WHERE s.workspace_id = current_workspace_id()), 0))::text AS bytes,
       (SELECT count(*)::int FROM environments e WHERE e.workspace_id = current_workspace_id()) AS environments`,
  );
  return { storageBytes: Number(rows[0]?.bytes ?? 0), environments: rows[0]?.environments ?? 0 };
}

export interface DayOfUsage extends Record<Allowance, number> {
  /** The UTC day, as `YYYY-MM-DD`. */
  date: string;
  /** Whether the day has ended by the database's clock. What is given back later is taken from the day of its admission. */
  complete: boolean;
}

const OWNED = {
  environment: 'environment_id = current_environment_id()',
  workspace: 'workspace_id = current_workspace_id()',
};

/**
 * What the transaction's workspace, or its environment alone, used on each UTC day from `from` to `to`, both included, the oldest
 * first. A day without use is there with zeros.
 */
export async function readDailyUsage(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  { from, to }: { from: string; to: string },
  of: keyof typeof OWNED = 'workspace',
): Promise<DayOfUsage[]> {
  const rows = await tx.rows<{ date: string; complete: boolean; used: Partial<Record<Allowance, number>> }>(
    { variantsOf: 'read_daily_usage' },
    `WITH used AS (
       SELECT day, allowance, sum(used) AS used FROM daily_usage
       WHERE ${OWNED[of]} AND day BETWEEN CAST(:from AS date) AND CAST(:to AS date) GROUP BY day, allowance)
     SELECT to_char(d, 'YYYY-MM-DD') AS date, d::date < (now() AT TIME ZONE 'UTC')::date AS complete,
       COALESCE(jsonb_object_agg(u.allowance, u.used) FILTER (WHERE u.allowance IS NOT NULL), '{}') AS used
     FROM generate_series(CAST(:from AS date)::timestamp, CAST(:to AS date)::timestamp, interval '1 day') d
     LEFT JOIN used u ON u.day = d::date
     GROUP BY d ORDER BY d`,
    { from, to },
  );
  return rows.map(({ date, complete, used }) => {
    const counts = Object.fromEntries(ALLOWANCES.map((allowance) => [allowance, used[allowance] ?? 0]));
    return { date, complete, ...(counts as Record<Allowance, number>) };
  });
}

export interface EnvironmentUsage {
  environmentId: string;
  name: string;
  /** By allowance, in this UTC month: what the environment has taken. */
  used: Partial<Record<Allowance, number>>;
}

/** What each environment of the transaction's workspace took in this UTC month, the oldest environment first. */
export async function readUsageByEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
): Promise<EnvironmentUsage[]> {
  return tx.rows<EnvironmentUsage>(
    'read_usage_by_environment',
    `SELECT e.id AS "environmentId", e.name, COALESCE(u.used, '{}') AS used FROM environments e
     LEFT JOIN (
       SELECT s.environment_id, jsonb_object_agg(s.allowance, s.used) AS used FROM (
         SELECT d.environment_id, d.allowance, sum(d.used) AS used FROM daily_usage d
         WHERE d.workspace_id = current_workspace_id() AND d.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
           AND d.day < (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month')::date GROUP BY 1, 2) s
       GROUP BY 1) u ON u.environment_id = e.id
     WHERE e.workspace_id = current_workspace_id() ORDER BY e.created_at, e.id`,
  );
}
