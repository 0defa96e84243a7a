import { afterAll, describe, expect, it, vi } from 'vitest';
import { analyticsRoutes } from '../../../api/analytics/routes.ts';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { METRIC_NAMES, METRICS } from '../../../domain/analytics/metrics.ts';
import { explained } from '../../harness/explained.ts';
import { startTestApi } from '../harness/test-api.ts';

/** No request of a dashboard may scan records: its cost would grow with them. Each route reads sums, and of the records only these. */

const EVERY_READ = ['workspaces', 'installation'];
const SUMS = ['analytics_rollups', 'analytics_days'];
/** Names of things, by their ids. */
const NAMES = ['actions', 'approval_policies', 'schedules'];
/** Live rows, counted up to 10,000 by their index. */
const LIVE = ['invocations', 'effects', 'approvals', 'messages', 'schedules', 'runs', 'dead_letters'];
const LIMITS = ['impact_limits', 'impact_limit_periods', 'impact_reservations', 'impact_limit_crossings'];
/** Records that errors name as samples, by their ids. */
const SAMPLED = ['invocations', 'actions', 'messages', 'schedules', 'runs', 'chat_posts', 'integrations'];
/** The first record of each, by an index. */
const FIRSTS = [
  'api_keys',
  'actions',
  'action_versions',
  'previews',
  'invocations',
  'approval_policies',
  'approvals',
  'integrations',
  'messages',
  'daily_usage',
  'runs',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'analytics.overview': [...SUMS, ...LIVE],
  'analytics.agents': SUMS,
  'analytics.trustControl': [...SUMS, 'effects', ...LIMITS, 'audit_log'],
  'analytics.timeSeries': [...SUMS, ...NAMES],
  'analytics.delivery': SUMS,
  'analytics.messages': [...SUMS, 'messages'],
  'analytics.topUrls': SUMS,
  'analytics.usageCurrent': ['daily_usage', 'monthly_usage', 'budgets', 'api_key_usage', 'api_key_unknown_usage'],
  'analytics.usageHistory': ['daily_usage'],
  'analytics.schedules': [...SUMS, 'schedules'],
  'analytics.scheduleExecutions': ['schedule_runs', 'messages'],
  'analytics.errors': [...SUMS, ...SAMPLED],
  'analytics.onboarding': [...FIRSTS, 'members'],
};

/** Queries that make a route read all that it can. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'analytics.agents': ['agentId=shop'],
  'analytics.timeSeries': METRIC_NAMES.flatMap((metric) => [
    `metric=${metric}`,
    ...Object.keys(METRICS[metric].groups).map((group) => `metric=${metric}&groupBy=${group}`),
  ]),
};

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

let plans: { sql: string; plan: Plan }[] = [];

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant);
const open = api.deps.db.withEnvironment.bind(api.deps.db);
vi.spyOn(api.deps.db, 'withEnvironment').mockImplementation((tenant, work, options) =>
  open(tenant, (tx) => work(options?.isSnapshot === true ? keepingPlans(tx) : tx), options),
);
afterAll(async () => {
  vi.restoreAllMocks();
});

/** The plans are those that are made for the application's login. Tables of a test are small enough to be read whole: no plan may. */
function keepingPlans(tx: EnvironmentTransaction): EnvironmentTransaction {
  const kept = explained(tx, 'COSTS', (plan, sql) => plans.push({ sql, plan: plan as Plan }));
  const raw: EnvironmentTransaction['raw'] = async (...statement) => {
    await tx.raw(
      null,
      "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)",
    );
    return kept.raw(...statement);
  };
  return { ...kept, raw };
}

async function plansOf(route: AnyRoute, queries = QUERIES[route.id] ?? ['']): Promise<typeof plans> {
  plans = [];
  for (const query of queries) {
    const { status, text } = await api.call('GET', `${route.path}?${query}`, { key });
    expect(status, text).toBe(200);
  }
  return plans;
}

interface TableRead {
  table: string;
  /** Such as `Index Scan`. */
  scan: string;
  /** Whether something above bounds how many rows are read. */
  isBounded: boolean;
  index: string | undefined;
}

/** The tables that a plan reads. */
function tablesOf(plan: Plan, isBounded = false): TableRead[] {
  const bounded = isBounded || plan['Node Type'] === 'Limit';
  const here = plan['Relation Name'];
  return [
    ...(here === undefined
      ? []
      : [{ table: tableOf(here), scan: plan['Node Type'], isBounded: bounded, index: plan['Index Name'] }]),
    ...(plan.Plans ?? []).flatMap((inner) => tablesOf(inner, bounded)),
  ];
}

/** The table that a partition is of. */
function tableOf(relation: string): string {
  const known = [...EVERY_READ, ...SUMS, ...LIVE, ...Object.values(ALLOWED).flat()];
  const partitioned = known.filter((table) => relation.startsWith(`${table}_`)).toSorted((a, b) => b.length - a.length);
  if (known.includes(relation)) return relation;
  return partitioned[0] ?? relation.replace(/^(kept|live)_/, '').replace(/_(default|\d.*)$/, '');
}

describe.each(analyticsRoutes.map((route) => [route.id, route] as const))('%s', (id, route) => {
  it('reads only sums and the records that it may', async () => {
    const read = (await plansOf(route)).flatMap(({ plan }) => tablesOf(plan));
    const tables = [...new Set(read.map(({ table }) => table))];
    expect(tables.length).toBeGreaterThan(0);
    const allowed = [...EVERY_READ, ...(ALLOWED[id] ?? [])];
    expect(tables.filter((table) => !allowed.includes(table))).toEqual([]);
  });
});

/** Rows of sums are wide and lie scattered, so that counts of a quarter would visit thousands of pages. */
it.each([
  ['analytics.agents', 'agentId=shop', 'counted AS'],
  ['analytics.timeSeries', 'metric=invocations.ended&groupBy=agent', 'counted AS'],
  ['analytics.timeSeries', 'metric=delivery.attempts&groupBy=url', 'counted AS'],
])('sums what %s?%s counts from the index alone', async (id, query, statement) => {
  const route = analyticsRoutes.find((one) => one.id === id);
  if (route === undefined) throw new Error(`there is no ${id}`);
  const read = (await plansOf(route, [query])).flatMap(({ sql, plan }) =>
    sql.includes(statement) ? tablesOf(plan).filter(({ table }) => SUMS.includes(table)) : [],
  );
  expect(
    [...new Set(read.map(({ scan }) => scan))],
    'sum only columns that the primary key of the rollups has or includes (0041-analytics), or include the new one there',
  ).toEqual(['Index Only Scan']);
});

it('bounds how many live rows an overview counts', async () => {
  const overview = analyticsRoutes.find(({ id }) => id === 'analytics.overview');
  if (overview === undefined) throw new Error('there is no overview');
  const live = (await plansOf(overview))
    .flatMap(({ plan }) => tablesOf(plan))
    .filter(({ table }) => LIVE.includes(table));
  expect(new Set(live.map(({ table }) => table)).size).toBe(LIVE.length);
  expect(live.filter(({ isBounded }) => !isBounded)).toEqual([]);
  // Any other index has all invocations that ever were.
  const counted = live.filter(({ table }) => table === 'invocations').map(({ index }) => index);
  expect(counted, 'count invocations by an index that has only those under way').toEqual(['invocations_in_flight']);
});

it('looks for one record of each kind in the onboarding', async () => {
  const onboarding = analyticsRoutes.find(({ id }) => id === 'analytics.onboarding');
  if (onboarding === undefined) throw new Error('there is no onboarding');
  const read = (await plansOf(onboarding)).flatMap(({ plan }) => tablesOf(plan));
  expect(FIRSTS.filter((table) => !read.some((one) => one.table === table))).toEqual([]);
  expect(read.filter(({ table, isBounded }) => FIRSTS.includes(table) && !isBounded)).toEqual([]);
});
