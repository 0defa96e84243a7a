import { type InvocationStatus, isOpen } from '../../../domain/lifecycle.ts';
import { isLiveMessage, type MessageStatus } from '../../../domain/messages/messages.ts';
import type { AnalyticsKind, ErrorArea } from '../../../domain/analytics/kinds.ts';
import { leftOf, targetOf } from '../../../domain/analytics/shapes.ts';

/**
 * What each record counts, as pure functions. The triggers of the database do the same in SQL
 * (db/migrations/analytics-facts.ts), and a test holds the two together. A record that changes adds `-f(old) + f(new)`.
 */
export interface Fact {
  kind: AnalyticsKind;
  at: Date;
  d1: string;
  d2: string;
  d3: string;
  s1: number;
  s2: number;
  /** The duration for the histogram, or null. */
  ms: number | null;
  /** The id of a record that shows an error. */
  sample: string | null;
}

type Counting = Pick<Fact, 'kind' | 'd1' | 'd2' | 'd3'> & { at: Date | null } & Partial<Omit<Fact, 'at'>>;

export interface InvocationCounts {
  id: string;
  status: InvocationStatus;
  code: string | null;
  error: string | null;
  decision: {
    effect: string;
    policyId?: string | null | undefined;
    version?: number | null | undefined;
    ruleId?: string | null | undefined;
  } | null;
  actionId: string;
  agentId: string | null;
  approvalId: string | null;
  createdAt: Date;
  evaluatedAt: Date | null;
  unknownAt: Date | null;
  settledAt: Date | null;
}

export function factsOfInvocation(record: InvocationCounts): Fact[] {
  const { status, code, decision } = record;
  const isPending = isOpen(status);
  const state = isPending ? 'pending' : code === null ? status : `${status}:${code}`;
  const endedAt = isPending ? null : status === 'unknown' ? record.unknownAt : record.settledAt;
  const of = { d1: state, d2: record.actionId, d3: record.agentId ?? '' };
  return counted([
    { kind: 'invocations.created', at: record.createdAt, ...of, s1: record.approvalId === null ? 0 : 1 },
    { kind: 'invocations.ended', at: endedAt, ...of },
    {
      kind: 'policy.decisions',
      at: decision === null ? null : record.evaluatedAt,
      d1: decision?.effect ?? '',
      d2: decision?.policyId ?? '',
      d3: decision?.ruleId ? `${decision.version ?? ''}/${decision.ruleId}` : '',
    },
    {
      kind: 'errors',
      at: status === 'refused' || status === 'failed' || status === 'unknown' ? endedAt : null,
      d1: (status === 'refused' ? 'invocation' : 'dispatch') satisfies ErrorArea,
      d2: code ?? '',
      d3: errorShape(record.error ?? ''),
      sample: record.id,
    },
  ]);
}

export interface EffectCounts {
  actionName: string;
  grade: string;
  verification: string;
  outcomeSource: string | null;
  updatedAt: Date;
  outcomeAt: Date | null;
  unknownAt: Date | null;
  knownAt: Date | null;
}

export function factsOfEffect(record: EffectCounts): Fact[] {
  const { grade, unknownAt, knownAt } = record;
  const gradedAt =
    grade === 'denied' || grade === 'refused' ? record.updatedAt : grade === 'pending' ? null : record.outcomeAt;
  const d2 = record.actionName;
  return counted([
    { kind: 'effects.graded', at: gradedAt, d1: grade, d2, d3: record.verification },
    { kind: 'unknowns.opened', at: unknownAt, d1: '', d2, d3: '' },
    {
      kind: 'unknowns.resolved',
      at: knownAt,
      d1: record.outcomeSource === 'manual_resolution' ? 'manual' : 'lookup',
      d2,
      d3: '',
      ms: msBetween(unknownAt, knownAt),
    },
  ]);
}

export interface ApprovalCounts {
  status: string;
  policyId: string | null;
  source: string;
  createdAt: Date;
  decidedAt: Date | null;
}

export function factsOfApproval({ status, policyId, source, createdAt, decidedAt }: ApprovalCounts): Fact[] {
  const state = status === 'consumed' ? 'approved' : status;
  const isDecided = state === 'approved' || state === 'denied';
  const of = { d1: state, d2: policyId ?? '', d3: source };
  return counted([
    { kind: 'approvals.requested', at: createdAt, ...of },
    { kind: 'approvals.decided', at: decidedAt, ...of, ms: isDecided ? msBetween(createdAt, decidedAt) : null },
  ]);
}

export interface MessageCounts {
  status: MessageStatus;
  kind: string;
  label: string | null;
  url: string;
  subscriptionId: string | null;
  scheduleId: string | null;
  attempts: number;
  createdAt: Date;
  scheduledFor: Date | null;
  updatedAt: Date;
  deliveredAt: Date | null;
  failedAt: Date | null;
}

export function factsOfMessage(record: MessageCounts): Fact[] {
  const { status, scheduleId, createdAt, scheduledFor, deliveredAt } = record;
  const state = isLiveMessage(status) ? 'pending' : status;
  const at = deliveredAt ?? record.failedAt ?? (status === 'cancelled' ? record.updatedAt : null);
  const due = scheduledFor !== null && scheduledFor > createdAt ? scheduledFor : createdAt;
  const of = { d1: state, d2: record.kind, d3: record.label ?? '' };
  return counted([
    { kind: 'messages.accepted', at: createdAt, ...of },
    { kind: 'messages.ended', at, ...of },
    {
      kind: 'targets.ended',
      at,
      d1: state,
      d2: targetOf(record.url),
      d3: record.subscriptionId ?? '',
      s1: record.attempts,
      ms: msBetween(due, deliveredAt),
    },
    { kind: 'schedules.delivery', at: scheduleId === null ? null : at, d1: state, d2: scheduleId ?? '', d3: '' },
  ]);
}

export interface MessageAttemptCounts {
  messageId: string;
  number: number;
  status: string;
  target: string | null;
  failure: string | null;
  subscriptionId: string | null;
  responseStatus: number | null;
  latencyMs: number | null;
  error: string | null;
  finishedAt: Date | null;
}

export function factsOfMessageAttempt(record: MessageAttemptCounts): Fact[] {
  const { subscriptionId, responseStatus, latencyMs, finishedAt: at } = record;
  const isAbandoned = record.status === 'abandoned';
  const outcome = isAbandoned ? 'abandoned' : (responseStatus?.toString() ?? record.failure ?? 'connection');
  return counted([
    {
      kind: 'delivery.attempts',
      at,
      d1: outcome,
      d2: record.target ?? '',
      d3: subscriptionId ?? '',
      s1: record.number === 1 ? 1 : 0,
      s2: latencyMs ?? 0,
      ms: latencyMs,
    },
    {
      kind: 'errors',
      at: outcome.startsWith('2') ? null : at,
      d1: (subscriptionId === null ? 'delivery' : 'subscription') satisfies ErrorArea,
      d2: outcome,
      d3: errorShape(record.error ?? ''),
      sample: record.messageId,
    },
  ]);
}

export interface ScheduleRunCounts {
  scheduleId: string;
  trigger: string;
  outcome: string;
  errorCode: string | null;
  errorMessage: string | null;
  nominalAt: Date;
  firedAt: Date;
}

export function factsOfScheduleRun(record: ScheduleRunCounts): Fact[] {
  const { outcome, scheduleId, nominalAt, firedAt } = record;
  const isOver = outcome !== 'queued' && outcome !== 'waiting';
  return counted([
    {
      kind: 'schedules.fired',
      at: isOver ? firedAt : null,
      d1: outcome,
      d2: scheduleId,
      d3: record.trigger,
      ms: outcome === 'published' ? msBetween(nominalAt, firedAt) : null,
    },
    {
      kind: 'errors',
      at: outcome === 'failed' ? firedAt : null,
      d1: 'schedule' satisfies ErrorArea,
      d2: leftOf(record.errorCode ?? '', CODE_CHARACTERS_MAX),
      d3: errorShape(record.errorMessage ?? ''),
      sample: scheduleId,
    },
  ]);
}

export interface RunCounts {
  id: string;
  status: string;
  agentId: string | null;
  agentVersion: string | null;
  error: { code?: string | undefined; message?: string | undefined } | null;
  tokens: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  startedAt: Date;
  endedAt: Date | null;
}

export function factsOfRun(record: RunCounts): Fact[] {
  const { status, error, startedAt, endedAt: at, inputTokens, outputTokens } = record;
  const of = { d1: status, d2: record.agentId ?? '', d3: record.agentVersion ?? '' };
  const micros = Math.floor(Math.min(record.cost ?? 0, COST_MAX) * 1e6 + 0.5);
  const tells = inputTokens !== null || outputTokens !== null;
  return counted([
    { kind: 'runs.started', at: startedAt, ...of },
    { kind: 'runs.ended', at, ...of, s1: record.tokens ?? 0, s2: micros, ms: msBetween(startedAt, at) },
    { kind: 'runs.tokens', at: tells ? at : null, ...of, d1: '', s1: inputTokens ?? 0, s2: outputTokens ?? 0 },
    {
      kind: 'errors',
      at: status === 'failed' ? at : null,
      d1: 'run' satisfies ErrorArea,
      d2: leftOf(error?.code ?? '', CODE_CHARACTERS_MAX),
      d3: errorShape(error?.message ?? ''),
      sample: record.id,
    },
  ]);
}

export interface ChatPostCounts {
  approvalId: string;
  status: string;
  error: string | null;
  postedAt: Date;
}

export function factsOfChatPost({ approvalId, status, error, postedAt }: ChatPostCounts): Fact[] {
  const at = status === 'refused' ? postedAt : null;
  const d1 = 'integration' satisfies ErrorArea;
  return counted([{ kind: 'errors', at, d1, d2: 'refused', d3: errorShape(error ?? ''), sample: approvalId }]);
}

const CODE_CHARACTERS_MAX = 64;
/** USD: what one run can count. */
const COST_MAX = 1e9;
function counted(facts: readonly Counting[]): Fact[] {
  return facts.flatMap(({ at, ...fact }) =>
    at === null ? [] : [{ s1: 0, s2: 0, ms: null, sample: null, ...fact, at }],
  );
}

function msBetween(earlier: Date | null, later: Date | null): number | null {
  return earlier === null || later === null ? null : Math.max(0, later.getTime() - earlier.getTime());
}

const SHAPE_CHARACTERS_MAX = 300;
const SHAPED_CHARACTERS_MAX = 2_000;

/** The text of an error without what differs from one to the next: each word with a digit is `#`. */
function errorShape(error: string): string {
  const shape = leftOf(error, SHAPED_CHARACTERS_MAX).replaceAll(/[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*/g, '#');
  return leftOf(shape, SHAPE_CHARACTERS_MAX);
}
