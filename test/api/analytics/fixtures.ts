import { fixtures as impactLimits } from '../impact-limits/fixtures.ts';
import { fixtures as schedules } from '../schedules/fixtures.ts';
import { nothing, planted, type RouteFixture, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const SHOWN_MS = 30 * 60_000;
const URL = 'https://shop.example/hooks/orders';

/** A firing of a schedule of its own. */
async function plantExecution(world: World): Promise<void> {
  const runs = schedules['schedules.runs'];
  const request: FixtureRequest = (await runs?.request(world)) ?? {};
  await runs?.plantRow?.(world, request);
}

/** A run of an agent of its own, folded. */
async function plantAgent(world: World): Promise<void> {
  const { environmentId } = world.api.database.tenant;
  await world.api.database.asOwner(
    `INSERT INTO analytics_rollups (environment_id, kind, is_total, quarter, d1, d2, d3, n, s1, s2, first_at, last_at)
     SELECT $1, 'runs.ended', false, date_bin('15 minutes', now(), 'epoch'), 'succeeded', $2, '1.0', 1, 1200, 4200, now(), now()`,
    [environmentId, unique('agent')],
  );
}

/** What the examples show: of this quarter of an hour, each time the same. */
const SHOWN: readonly [kind: string, d1: string, d2: string, d3: string, n: number, s1?: number, s2?: number][] = [
  ['invocations.created', 'succeeded', '', 'support-agent', 12],
  ['invocations.created', 'refused:HALTED', '', 'support-agent', 1],
  ['invocations.ended', 'succeeded', '', 'support-agent', 12],
  ['invocations.ended', 'refused:HALTED', '', 'support-agent', 1],
  ['effects.graded', 'confirmed', 'refund.create', 'provider', 9],
  ['effects.graded', 'acknowledged', 'refund.create', 'unverified', 3],
  ['messages.accepted', 'delivered', 'message', 'orders', 40],
  ['messages.accepted', 'failed', 'message', 'orders', 2],
  ['messages.ended', 'delivered', 'message', 'orders', 40],
  ['messages.ended', 'failed', 'message', 'orders', 2],
  ['targets.ended', 'delivered', URL, '', 40, 43],
  ['targets.ended', 'failed', URL, '', 2, 8],
  ['delivery.attempts', '200', URL, '', 40, 38, 7_360],
  ['delivery.attempts', '503', URL, '', 11, 4, 2_024],
  ['errors', 'delivery', '503', 'the destination answered #', 11],
  ['runs.started', 'succeeded', 'support-agent', '1.4', 5],
  ['runs.ended', 'succeeded', 'support-agent', '1.4', 5, 6_000, 21_000],
  ['runs.tokens', '', 'support-agent', '1.4', 5, 4_800, 1_200],
];

/** The rollups of the other tenant's environment, in which no other fixture makes anything, and a beginning before its range. */
async function plantShown({ api: { database }, otherTenant }: World): Promise<void> {
  const { environmentId, workspaceId } = otherTenant;
  await database.asOwner(`UPDATE workspaces SET created_at = now() - interval '2 days' WHERE id = $1`, [workspaceId]);
  for (const table of ['analytics_rollups', 'analytics_days'])
    await database.asOwner(`DELETE FROM ${table} WHERE environment_id = $1`, [environmentId]);
  await database.asOwner(
    `INSERT INTO analytics_rollups (environment_id, kind, is_total, quarter, d1, d2, d3, n, s1, s2, first_at, last_at, buckets, counts)
     SELECT $1, r->>0, false, date_bin('15 minutes', now(), 'epoch'), r->>1, r->>2, r->>3, (r->>4)::int, COALESCE((r->>5)::int, 0),
       COALESCE((r->>6)::int, 0), now(), now(), h.buckets, h.counts
     FROM jsonb_array_elements($2) r LEFT JOIN (VALUES ('200', ARRAY[52, 60], ARRAY[38, 2]), ('503', ARRAY[53], ARRAY[11])) h (d1, buckets, counts)
       ON r->>0 = 'delivery.attempts' AND h.d1 = r->>1`,
    [environmentId, JSON.stringify(SHOWN)],
  );
  await database.asOwner('SELECT mend_analytics_sums($1)', [environmentId]); // the totals
}

const elsewhere = (world: World): World => ({ ...world, key: world.otherKey });

/** The same each time that it is asked, at each time of day: the last half an hour of the other tenant. */
const shown =
  (query: Record<string, string> = {}, plant: (world: World) => Promise<unknown> = () => Promise.resolve()) =>
  async (world: World): Promise<FixtureRequest> => {
    await plant(elsewhere(world));
    await plantShown(world);
    const from = new Date(Date.now() - SHOWN_MS).toISOString();
    return { query: { from, ...query }, headers: { Authorization: `Bearer ${world.otherKey}` } };
  };

/** Without a range: the month, the days since the workspace began, or what has been done at all. */
const shownWhole = async (world: World): Promise<FixtureRequest> => {
  await plantShown(world);
  return { headers: { Authorization: `Bearer ${world.otherKey}` } };
};

async function plantLimit(world: World): Promise<void> {
  const { body = {} } = (await impactLimits['impactLimits.create']?.request(world)) ?? {};
  await planted(world.api.call('POST', '/api/v2/impact-limits', { key: world.key, body }));
}

const inRange: RouteFixture = { request: nothing, example: shown() };
const plantSchedule = async (world: World): Promise<unknown> => schedules['schedules.get']?.request(world);

export const fixtures: RouteFixtures = {
  'analytics.overview': inRange,
  'analytics.agents': { request: nothing, plantRow: plantAgent, example: shown() },
  'analytics.trustControl': { request: nothing, example: shown({}, plantLimit) },
  'analytics.timeSeries': {
    request: () => Promise.resolve({ query: { metric: 'runs.ended', groupBy: 'agent', interval: 'hour' } }),
    example: shown({ metric: 'messages.ended', groupBy: 'status' }),
  },
  'analytics.delivery': inRange,
  'analytics.messages': inRange,
  'analytics.topUrls': inRange,
  'analytics.usageCurrent': { request: nothing, example: shownWhole },
  'analytics.usageHistory': { request: nothing, example: shownWhole },
  'analytics.schedules': { request: nothing, plantRow: plantSchedule, example: shown({}, plantSchedule) },
  'analytics.scheduleExecutions': { request: nothing, plantRow: plantExecution, example: shown({}, plantExecution) },
  'analytics.errors': inRange,
  'analytics.onboarding': { request: nothing, example: shownWhole },
};
