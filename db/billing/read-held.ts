import { PENDING_FREE_STANDING_MAX } from '../../domain/approvals/limits.ts';
import type { HeldName } from '../../domain/billing/quotas.ts';
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
import type { EnvironmentTransaction } from '../client.ts';

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
export async function readHeld(tx: EnvironmentTransaction): Promise<Record<HeldName, { used: number; limit: number }>> {
  const { rows } = await tx.raw<{ rows: Record<HeldName, number>[] }>(
    `SELECT
       (SELECT count(*)::int FROM unused_previews WHERE environment_id = current_environment_id() AND expires_at > now()) AS "previews",
       (SELECT count(*)::int FROM approvals WHERE environment_id = current_environment_id() AND kind = 'free_standing' AND status = 'pending') AS "approvals",
       (SELECT count(*)::int FROM impact_limits WHERE environment_id = current_environment_id() AND archived_at IS NULL) AS "impactLimits",
       (SELECT count(*)::int FROM cache_entries WHERE environment_id = current_environment_id() AND expires_at > now()) AS "cachedAnswers",
       (SELECT count(*)::int FROM memory_collections WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "memoryCollections",
       (SELECT count(*)::int FROM schedules WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "schedules",
       (SELECT count(*)::int FROM integrations WHERE environment_id = current_environment_id()) AS "integrations",
       (SELECT count(*)::int FROM url_groups WHERE environment_id = current_environment_id() AND deleted_at IS NULL) AS "urlGroups",
       (SELECT count(*)::int FROM flow_control_keys WHERE environment_id = current_environment_id()) AS "flowControlKeys",
       (SELECT count(*)::int FROM topics WHERE environment_id = current_environment_id() AND deleted_at IS NULL AND name <> :service) AS "topics"`,
    { service: SERVICE_TOPIC },
  );
  const used = rows[0];
  if (used === undefined) throw new Error('a statement without a table answers one row');
  const names = Object.keys(LIMITS) as HeldName[];
  const held = names.map((name) => [name, { used: used[name], limit: LIMITS[name] }]);
  return Object.fromEntries(held) as Record<HeldName, { used: number; limit: number }>;
}
