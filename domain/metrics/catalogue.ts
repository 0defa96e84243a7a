import type { MetricDeclaration } from './declaration.ts';
import { METRICS_OF_THE_DATABASE } from './of-the-database.ts';

/** From a lookup in memory to a request that waits for its invocation. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
/** Calls to others, up to the longest time-out of an action. */
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;

/**
 * Every metric of our own. The recorders are typed by it, docs/metrics.md is made of it, and a test compares it with a live scrape, with
 * the alerts and with the dashboard.
 */
export const METRICS = {
  agent_actions_build_info: {
    type: 'gauge',
    shownBy: 'every process',
    help: '1, with the version of the release and of Node',
    labels: ['version', 'node'],
  },
  agent_actions_clock_skew_seconds: {
    type: 'gauge',
    shownBy: 'every process',
    help: "This machine's clock less PostgreSQL's, at the middle of a round trip",
    labels: [],
  },
  agent_actions_database_pool_connections: {
    type: 'gauge',
    shownBy: 'every process',
    help: 'Connections of a pool: `busy` with a statement or a transaction, or `idle`',
    labels: ['pool', 'state'],
  },
  agent_actions_database_pool_connections_max: {
    type: 'gauge',
    shownBy: 'every process',
    help: 'Most connections of a pool: DATABASE_POOL_MAX',
    labels: ['pool'],
  },
  agent_actions_sync_standby_required: {
    type: 'gauge',
    shownBy: 'worker',
    help: '1 where REQUIRE_SYNC_STANDBY is 1: nothing is sent unless PostgreSQL waits for a standby',
    labels: [],
  },
  agent_actions_database_pool_waiting: {
    type: 'gauge',
    shownBy: 'every process',
    help: 'Work that waits for a connection of the pool',
    labels: ['pool'],
  },
  agent_actions_database_pool_timeouts_total: {
    type: 'counter',
    shownBy: 'every process',
    help: 'Work that failed because no connection was free within ten seconds',
    labels: ['pool'],
  },
  agent_actions_calls_in_flight: {
    type: 'gauge',
    shownBy: 'every process',
    help: 'Calls to the outside that are under way',
    labels: ['kind'],
  },
  agent_actions_calls_ended_by_watchdog_total: {
    type: 'counter',
    shownBy: 'every process',
    help: 'Calls that outlived their deadline and were ended: above 0 is a fault of this service',
    labels: ['kind'],
  },
  agent_actions_files_free_ratio: {
    type: 'gauge',
    shownBy: 'every process',
    help: 'Free part of the disk that holds FILES_DIR. Not shown where files are in a bucket',
    labels: [],
  },
  agent_actions_http_request_duration_seconds: {
    type: 'histogram',
    shownBy: 'API',
    help: 'From the headers of a request to its reply, by the template of its route, `probe`, or `other`. A request that asks to wait counts its wait',
    labels: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
  },
  agent_actions_http_requests_in_flight: {
    type: 'gauge',
    shownBy: 'API',
    help: 'Requests without a complete reply',
    labels: [],
  },
  agent_actions_http_connections: {
    type: 'gauge',
    shownBy: 'API',
    help: 'Open connections of clients',
    labels: [],
  },
  agent_actions_http_connections_refused_total: {
    type: 'counter',
    shownBy: 'API',
    help: 'Connections refused because the process or an address had too many',
    labels: [],
  },
  agent_actions_workers: {
    type: 'gauge',
    shownBy: 'API',
    help: 'What this API sees of worker processes, 1 for one state: `up`, `none` (nobody polls), or `unknown` (Temporal does not say)',
    labels: ['state'],
  },
  agent_actions_dispatch_duration_seconds: {
    type: 'histogram',
    shownBy: 'worker',
    help: 'Calls of an adapter that may have an effect, replays included: `succeeded`, `failed`, `pending`, `unknown`, `no_answer`, `not_sent`, `refused`, or `broke_off`',
    labels: ['adapter', 'result'],
    buckets: CALL_SECONDS,
  },
  agent_actions_provider_read_duration_seconds: {
    type: 'histogram',
    shownBy: 'worker',
    help: "Reads of a provider's own record: `matched`, `absent`, `ambiguous`, `inconclusive`, `unreadable`, or `broke_off`",
    labels: ['adapter', 'result'],
    buckets: CALL_SECONDS,
  },
  agent_actions_delivery_duration_seconds: {
    type: 'histogram',
    shownBy: 'worker',
    help: 'Attempts to deliver a message: the class of the status (`2xx` …), `no_answer`, `not_sent`, `blocked`, or `broke_off`',
    labels: ['result'],
    buckets: CALL_SECONDS,
  },
  agent_actions_sweep_finished_timestamp_seconds: {
    type: 'gauge',
    shownBy: 'worker',
    help: 'When this worker last ended the sweep of an area, as Unix time: take the newest of all workers',
    labels: ['area'],
  },
  agent_actions_sweep_failures_total: {
    type: 'counter',
    shownBy: 'worker',
    help: 'Rows that a sweep of this worker could not mend, and 1 for each area that could not be swept at all',
    labels: ['area'],
  },
  agent_actions_analytics_drift: {
    type: 'gauge',
    shownBy: 'worker',
    help: 'Buckets of the last daily sample of analytics that differed from their recount: above 0 is a fault of this service',
    labels: [],
  },
  agent_actions_usage_drift: {
    type: 'gauge',
    shownBy: 'worker',
    help: 'Invariants of usage that did not hold at the last daily check: above 0 is a fault of this service',
    labels: [],
  },
  ...METRICS_OF_THE_DATABASE,
} as const satisfies Record<string, MetricDeclaration>;

export type MetricName = keyof typeof METRICS;
export type MetricOf<Type extends MetricDeclaration['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;
