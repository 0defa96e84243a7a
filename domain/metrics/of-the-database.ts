import type { MetricDeclaration } from './declaration.ts';

/** How far a count of rows goes (db/metrics/installation-figures.ts): a larger one would cost more than it tells. */
export const COUNTED_ROWS_MAX = 5_000;
const MOST = COUNTED_ROWS_MAX.toLocaleString('en-US');

/**
 * What PostgreSQL knows of the whole installation. The function `read_installation_figures` (db/migrations/0044-metrics.ts) answers them
 * by these names without `agent_actions_`, with the value of the one label.
 */
export const METRICS_OF_THE_DATABASE = {
  agent_actions_figures_read_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'How long the last reading of these figures took, in seconds',
    labels: [],
  },
  agent_actions_unknown_effects: {
    type: 'gauge',
    shownBy: 'database',
    help: `Effects whose outcome is unknown now, up to ${MOST}`,
    labels: [],
  },
  agent_actions_oldest_unknown_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'For how long the outcome of the oldest of them has been unknown: 0 without one',
    labels: [],
  },
  agent_actions_unknown_exposure_ratio: {
    type: 'gauge',
    shownBy: 'database',
    help: 'The largest part of the cap of an impact limit that unknown outcomes hold, over all limits with a period',
    labels: [],
  },
  agent_actions_invocations_in_flight: {
    type: 'gauge',
    shownBy: 'database',
    help: `Invocations that are \`queued\` or \`dispatching\`, up to ${MOST} together`,
    labels: ['status'],
  },
  agent_actions_oldest_queued_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Age of the oldest queued invocation that waits for no other effect: 0 without one',
    labels: [],
  },
  agent_actions_places_taken: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Calls that hold a place of their workspace',
    labels: ['kind'],
  },
  agent_actions_places_waiting: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Calls that wait for a place because their workspace has its share under way',
    labels: ['kind'],
  },
  agent_actions_oldest_place_wait_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'For how long the oldest of them has waited: 0 without one',
    labels: ['kind'],
  },
  agent_actions_messages_queued: {
    type: 'gauge',
    shownBy: 'database',
    help: `Messages in lanes, up to ${MOST} of each state: \`ready\`, \`taken\`, \`timed\` or \`paced\``,
    labels: ['state'],
  },
  agent_actions_oldest_message_due_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'For how long the oldest message has been due that no flow-control key, pause or halt holds back: 0 without one',
    labels: [],
  },
  agent_actions_overdue_work: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Records beside invocations that their workflow did not move by their time, so that the sweep starts it again',
    labels: ['kind'],
  },
  agent_actions_reconciliation_lag_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'How late the latest read of an unknown outcome is, beyond two minutes: 0 without one',
    labels: [],
  },
  agent_actions_approvals_pending: {
    type: 'gauge',
    shownBy: 'database',
    help: `Approvals that wait for people, up to ${MOST}`,
    labels: [],
  },
  agent_actions_oldest_approval_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Age of the oldest of them: 0 without one',
    labels: [],
  },
  agent_actions_dead_letters: {
    type: 'gauge',
    shownBy: 'database',
    help: `Dead letters, up to ${MOST}`,
    labels: [],
  },
  agent_actions_expensive_work_paused: {
    type: 'gauge',
    shownBy: 'database',
    help: '1 while expensive work is paused for everybody',
    labels: [],
  },
  agent_actions_master_key_age_seconds: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Since when the newest master key is known',
    labels: [],
  },
  agent_actions_database_connections: {
    type: 'gauge',
    shownBy: 'database',
    help: "Connections that PostgreSQL has, everybody's",
    labels: [],
  },
  agent_actions_database_connections_max: {
    type: 'gauge',
    shownBy: 'database',
    help: "PostgreSQL's max_connections",
    labels: [],
  },
  agent_actions_database_synchronous: {
    type: 'gauge',
    shownBy: 'database',
    help: '1 where synchronous_standby_names names a standby',
    labels: [],
  },
  agent_actions_database_standbys: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Standbys and other receivers of WAL that are connected',
    labels: [],
  },
  agent_actions_database_commits_waiting: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Commits of this login that have waited for a synchronous standby for more than ten seconds',
    labels: [],
  },
  agent_actions_database_timeline: {
    type: 'gauge',
    shownBy: 'database',
    help: 'The timeline on which PostgreSQL writes: another one after a failover or a restore',
    labels: [],
  },
  agent_actions_recoveries_open: {
    type: 'gauge',
    shownBy: 'database',
    help: 'Recoveries of the database that no operator has released',
    labels: [],
  },
  agent_actions_invocations_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Invocations that came to rest with a status, or came to `unknown`; counted once a minute by the sweep',
    labels: ['status'],
  },
  agent_actions_effects_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Effects that came to a grade; counted once a minute by the sweep',
    labels: ['grade'],
  },
  agent_actions_unknowns_opened_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Outcomes that became unknown; counted once a minute by the sweep',
    labels: [],
  },
  agent_actions_unknowns_resolved_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Unknown outcomes that became known, by a `lookup` or a `manual` resolution; counted once a minute by the sweep',
    labels: ['how'],
  },
  agent_actions_approvals_decided_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Approvals that ended; counted once a minute by the sweep',
    labels: ['status'],
  },
  agent_actions_messages_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Messages that ended: `failed` ones are dead letters; counted once a minute by the sweep',
    labels: ['status'],
  },
  agent_actions_delivery_attempts_total: {
    type: 'counter',
    shownBy: 'database',
    help: 'Attempts to deliver, by the class of their status or by what failed; counted once a minute by the sweep',
    labels: ['result'],
  },
} as const satisfies Record<string, MetricDeclaration>;
