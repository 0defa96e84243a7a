import { type AnalyticsKind, SQL_OF_GROUP } from './kinds.ts';

/** Groups that a time series can have, by metric. Each has few values, or is cut to the ones with the most. */
export const GROUP_NAMES = [
  'status',
  'action',
  'agent',
  'refusal',
  'grade',
  'policy',
  'kind',
  'label',
  'outcome',
  'url',
  'schedule',
  'code',
  'area',
] as const;
export type GroupName = (typeof GROUP_NAMES)[number];

export type Unit = 'count' | 'ms' | 'tokens' | 'micro_usd';

export interface Metric {
  unit: Unit;
  kind: AnalyticsKind;
  /** Sums a column, or takes a percentile of the durations. */
  of: 'n' | 's1' | 's2' | 'p50' | 'p95' | 'p99';
  /** SQL over the columns of a rollup: those that count. */
  where: string;
  groups: Partial<Record<GroupName, string>>;
}

/** Statuses of an invocation that was never carried out; their codes are the refusals. */
const WITHHELD = `split_part(d1, ':', 1) IN ('refused', 'denied', 'expired', 'cancelled')`;

/** SQL of the code of a refusal; null for what was carried out. */
export const SQL_OF_REFUSAL = `CASE WHEN ${WITHHELD} THEN ${SQL_OF_GROUP['invocations.ended'].refusal} END`;

const ALL = 'true';
const invocations = SQL_OF_GROUP['invocations.ended'];
const effects = SQL_OF_GROUP['effects.graded'];
const approvals = SQL_OF_GROUP['approvals.decided'];
const messages = SQL_OF_GROUP['messages.ended'];
const attempts = SQL_OF_GROUP['delivery.attempts'];
const runs = SQL_OF_GROUP['runs.ended'];

const ofInvocations = {
  status: invocations.status,
  action: invocations.action,
  agent: invocations.agent,
  refusal: invocations.refusal,
};
const ofApprovals = { status: approvals.status, policy: approvals.policy };
const ofMessages = { status: messages.status, kind: messages.kind, label: messages.label };
const ofRuns = { status: runs.status, agent: runs.agent };
const latency = (of: 'p50' | 'p95' | 'p99'): Metric => ({
  unit: 'ms',
  kind: 'delivery.attempts',
  of,
  where: ALL,
  groups: { outcome: attempts.outcome, url: attempts.url },
});

/** Every metric of a time series. What each kind counts, and at which time, is the table of `kinds.ts`. */
export const METRICS = {
  'invocations.created': { unit: 'count', kind: 'invocations.created', of: 'n', where: ALL, groups: ofInvocations },
  'invocations.ended': { unit: 'count', kind: 'invocations.ended', of: 'n', where: ALL, groups: ofInvocations },
  'effects.graded': {
    unit: 'count',
    kind: 'effects.graded',
    of: 'n',
    where: ALL,
    groups: { grade: effects.grade, action: effects.action },
  },
  'approvals.requested': { unit: 'count', kind: 'approvals.requested', of: 'n', where: ALL, groups: ofApprovals },
  'approvals.decided': {
    unit: 'count',
    kind: 'approvals.decided',
    of: 'n',
    where: `d1 IN ('approved', 'denied')`,
    groups: ofApprovals,
  },
  'messages.accepted': { unit: 'count', kind: 'messages.accepted', of: 'n', where: ALL, groups: ofMessages },
  'messages.ended': { unit: 'count', kind: 'messages.ended', of: 'n', where: ALL, groups: ofMessages },
  'delivery.attempts': {
    unit: 'count',
    kind: 'delivery.attempts',
    of: 'n',
    where: ALL,
    groups: { outcome: attempts.outcome, url: attempts.url },
  },
  'delivery.latency.p50': latency('p50'),
  'delivery.latency.p95': latency('p95'),
  'delivery.latency.p99': latency('p99'),
  'schedules.fired': {
    unit: 'count',
    kind: 'schedules.fired',
    of: 'n',
    where: ALL,
    groups: { outcome: SQL_OF_GROUP['schedules.fired'].outcome, schedule: SQL_OF_GROUP['schedules.fired'].schedule },
  },
  'runs.started': { unit: 'count', kind: 'runs.started', of: 'n', where: ALL, groups: ofRuns },
  'runs.ended': { unit: 'count', kind: 'runs.ended', of: 'n', where: ALL, groups: ofRuns },
  'runs.duration.p95': { unit: 'ms', kind: 'runs.ended', of: 'p95', where: ALL, groups: ofRuns },
  tokens: { unit: 'tokens', kind: 'runs.ended', of: 's1', where: ALL, groups: { agent: runs.agent } },
  cost: { unit: 'micro_usd', kind: 'runs.ended', of: 's2', where: ALL, groups: { agent: runs.agent } },
  refusals: {
    unit: 'count',
    kind: 'invocations.ended',
    of: 'n',
    where: `${WITHHELD} AND ${invocations.refusal} <> ''`,
    groups: { code: invocations.refusal },
  },
  errors: {
    unit: 'count',
    kind: 'errors',
    of: 'n',
    where: ALL,
    groups: { area: SQL_OF_GROUP.errors.area, code: SQL_OF_GROUP.errors.code },
  },
} as const satisfies Record<string, Metric>;
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

/** Words of what has a value of its own in nearly every record. */
const HIGH_CARDINALITY =
  /(^|[^a-z])(user|message|run|invocation|effect|approval|session|request|attempt|trace|span|event|key)|id$/i;

/** Why a metric has no such group: the groups that it has, and what to do instead of one with countless values. */
export function groupIssue(metric: MetricName, asked: string): string {
  const groups = Object.keys(METRICS[metric].groups).join(', ');
  if (HIGH_CARDINALITY.test(asked))
    return `has too many values for a series of each: filter the list of the records by it instead; ${metric} can be grouped by ${groups}`;
  return `is no group of ${metric}, which can be grouped by ${groups}`;
}
