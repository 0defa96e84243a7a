/** A panel: its title and what it asks Prometheus. docs/metrics.md has the metrics. */
export interface Panel {
  title: string;
  unit: 'short' | 's' | 'reqps' | 'percentunit' | 'bytes' | 'ops';
  /** The legend of each query. */
  asks: Readonly<Record<string, string>>;
  /** One number instead of lines over time; red from `bad` on. */
  bad?: number;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket{instance=~"$instance"}[$__rate_interval])))`;

/** The figures of the installation: the one process that reads them shows them. */
const newest = (metric: string, by = ''): string => `max${by === '' ? '' : ` by (${by})`} (${metric})`;
const perSecond = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

const HTTP = 'agent_actions_http_request_duration_seconds';

export const ROWS: readonly Row[] = [
  {
    title: 'How it stands',
    panels: [
      {
        title: 'APIs without a worker',
        unit: 'short',
        bad: 1,
        asks: { APIs: 'sum(agent_actions_workers{state="none"})' },
      },
      {
        title: 'APIs without Temporal',
        unit: 'short',
        bad: 1,
        asks: { APIs: 'sum(agent_actions_workers{state="unknown"})' },
      },
      { title: 'Unknown outcomes', unit: 'short', bad: 10, asks: { effects: newest('agent_actions_unknown_effects') } },
      { title: 'Oldest queued', unit: 's', bad: 60, asks: { age: newest('agent_actions_oldest_queued_seconds') } },
      { title: 'Dead letters', unit: 'short', bad: 1_000, asks: { messages: newest('agent_actions_dead_letters') } },
      {
        title: 'Since the last sweep',
        unit: 's',
        bad: 300,
        asks: { age: 'time() - max(agent_actions_sweep_finished_timestamp_seconds{area="workflow-starts"})' },
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      { title: 'Requests by status', unit: 'reqps', asks: { '{{status}}': perSecond(`${HTTP}_count`, 'status') } },
      {
        title: 'Time of a request, p99',
        unit: 's',
        asks: { '{{route}}': `topk(10, ${quantile(0.99, HTTP, 'route')})` },
      },
      {
        title: 'Under way',
        unit: 'short',
        asks: {
          'requests {{instance}}': 'agent_actions_http_requests_in_flight{instance=~"$instance"}',
          'connections {{instance}}': 'agent_actions_http_connections{instance=~"$instance"}',
          'refused {{instance}}':
            'rate(agent_actions_http_connections_refused_total{instance=~"$instance"}[$__rate_interval])',
        },
      },
    ],
  },
  {
    title: 'Invocations and outcomes',
    panels: [
      {
        title: 'Invocations by status',
        unit: 'ops',
        asks: { '{{status}}': perSecond('agent_actions_invocations_total', 'status') },
      },
      {
        title: 'Effects by grade',
        unit: 'ops',
        asks: { '{{grade}}': perSecond('agent_actions_effects_total', 'grade') },
      },
      {
        title: 'In flight',
        unit: 'short',
        asks: { '{{status}}': newest('agent_actions_invocations_in_flight', 'status') },
      },
      {
        title: 'Dispatch, p95',
        unit: 's',
        asks: {
          '{{adapter}} {{result}}': quantile(0.95, 'agent_actions_dispatch_duration_seconds', 'adapter, result'),
        },
      },
      {
        title: "Reads of providers' records, p95",
        unit: 's',
        asks: {
          '{{adapter}} {{result}}': quantile(0.95, 'agent_actions_provider_read_duration_seconds', 'adapter, result'),
        },
      },
      {
        title: 'Calls in flight',
        unit: 'short',
        asks: {
          '{{kind}}': 'sum by (kind) (agent_actions_calls_in_flight)',
          'ended {{kind}}': 'sum by (kind) (increase(agent_actions_calls_ended_by_watchdog_total[$__range]))',
        },
      },
      {
        title: 'Unknown outcomes',
        unit: 'short',
        asks: {
          unknown: newest('agent_actions_unknown_effects'),
          opened: 'sum(increase(agent_actions_unknowns_opened_total[1h]))',
          'resolved by {{how}}': 'sum by (how) (increase(agent_actions_unknowns_resolved_total[1h]))',
        },
      },
      {
        title: 'How late',
        unit: 's',
        asks: {
          'oldest unknown': newest('agent_actions_oldest_unknown_seconds'),
          reconciliation: newest('agent_actions_reconciliation_lag_seconds'),
          'place of {{kind}}': newest('agent_actions_oldest_place_wait_seconds', 'kind'),
        },
      },
      {
        title: 'Impact limit held by unknown outcomes',
        unit: 'percentunit',
        asks: { most: newest('agent_actions_unknown_exposure_ratio') },
      },
    ],
  },
  {
    title: 'People',
    panels: [
      {
        title: 'Approvals',
        unit: 'short',
        asks: {
          pending: newest('agent_actions_approvals_pending'),
          '{{status}} in an hour': 'sum by (status) (increase(agent_actions_approvals_decided_total[1h]))',
        },
      },
      { title: 'Oldest approval', unit: 's', asks: { age: newest('agent_actions_oldest_approval_seconds') } },
      {
        title: 'Expensive work is paused',
        unit: 'short',
        bad: 1,
        asks: { paused: newest('agent_actions_expensive_work_paused') },
      },
    ],
  },
  {
    title: 'Messages',
    panels: [
      {
        title: 'Messages in lanes',
        unit: 'short',
        asks: { '{{state}}': newest('agent_actions_messages_queued', 'state') },
      },
      {
        title: 'Messages that ended',
        unit: 'ops',
        asks: { '{{status}}': perSecond('agent_actions_messages_total', 'status') },
      },
      {
        title: 'Attempts',
        unit: 'ops',
        asks: { '{{result}}': perSecond('agent_actions_delivery_attempts_total', 'result') },
      },
      {
        title: 'Delivery, p95',
        unit: 's',
        asks: { '{{result}}': quantile(0.95, 'agent_actions_delivery_duration_seconds', 'result') },
      },
      {
        title: 'Oldest message that is due',
        unit: 's',
        asks: { age: newest('agent_actions_oldest_message_due_seconds') },
      },
      {
        title: 'Places',
        unit: 'short',
        asks: {
          'taken {{kind}}': newest('agent_actions_places_taken', 'kind'),
          'waiting {{kind}}': newest('agent_actions_places_waiting', 'kind'),
        },
      },
    ],
  },
  {
    title: 'Sweep',
    panels: [
      {
        title: 'Since each area was swept',
        unit: 's',
        asks: { '{{area}}': 'time() - max by (area) (agent_actions_sweep_finished_timestamp_seconds)' },
      },
      {
        title: 'Could not be mended',
        unit: 'short',
        asks: { '{{area}}': 'sum by (area) (increase(agent_actions_sweep_failures_total[15m])) > 0' },
      },
      {
        title: 'Overdue work, and counts that differ',
        unit: 'short',
        asks: {
          '{{kind}}': `${newest('agent_actions_overdue_work', 'kind')} > 0`,
          usage: newest('agent_actions_usage_drift'),
          analytics: newest('agent_actions_analytics_drift'),
        },
      },
    ],
  },
  {
    title: 'Ground',
    panels: [
      {
        title: 'Connections of pools',
        unit: 'short',
        asks: {
          '{{instance}} {{pool}} {{state}}': 'agent_actions_database_pool_connections{instance=~"$instance"}',
          '{{instance}} {{pool}} waiting': 'agent_actions_database_pool_waiting{instance=~"$instance"}',
          '{{instance}} {{pool}} most': 'agent_actions_database_pool_connections_max{instance=~"$instance"}',
          '{{instance}} {{pool}} in vain':
            'increase(agent_actions_database_pool_timeouts_total{instance=~"$instance"}[5m])',
        },
      },
      {
        title: 'PostgreSQL',
        unit: 'short',
        asks: {
          connections: newest('agent_actions_database_connections'),
          most: newest('agent_actions_database_connections_max'),
          standbys: newest('agent_actions_database_standbys'),
          'waits for a standby': newest('agent_actions_database_synchronous'),
          'commits that wait': newest('agent_actions_database_commits_waiting'),
          'standby required': newest('agent_actions_sync_standby_required'),
          timeline: newest('agent_actions_database_timeline'),
          'open recoveries': newest('agent_actions_recoveries_open'),
        },
      },
      {
        title: 'Event loop, p99',
        unit: 's',
        asks: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{instance=~"$instance"}' },
      },
      {
        title: 'Memory',
        unit: 'bytes',
        asks: {
          '{{instance}} resident': 'process_resident_memory_bytes{instance=~"$instance"}',
          '{{instance}} heap': 'nodejs_heap_size_used_bytes{instance=~"$instance"}',
        },
      },
      {
        title: 'Clocks, and the reading of figures',
        unit: 's',
        asks: {
          'skew {{instance}}': 'agent_actions_clock_skew_seconds{instance=~"$instance"}',
          'reading took': newest('agent_actions_figures_read_seconds'),
        },
      },
      { title: 'Free disk of files', unit: 'percentunit', asks: { free: 'min(agent_actions_files_free_ratio)' } },
      {
        title: 'Age of the newest master key',
        unit: 's',
        bad: 31_536_000,
        asks: { age: newest('agent_actions_master_key_age_seconds') },
      },
      {
        title: 'Versions',
        unit: 'short',
        asks: { '{{version}} on {{node}}': 'count by (version, node) (agent_actions_build_info)' },
      },
    ],
  },
];
