import type { z } from 'zod';
import { type GaugeName, oldestUnknownAt, readGauges } from '../../db/analytics/messages.ts';
import { type Groups, readCounts, readHistograms } from '../../db/analytics/rollups.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { Counted, rate, usdOf } from '../../domain/analytics/counted.ts';
import { SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import { APPROXIMATE, type Counts, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { precedingRange } from '../../domain/analytics/range.ts';
import { type Sources, sourcesOfSum } from '../../domain/analytics/sources.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { gradesOf } from './grades.ts';
import { overviewSchema } from './overview-schemas.ts';

const GROUPS: Groups = {
  'invocations.created': `''`,
  'invocations.ended': SQL_OF_GROUP['invocations.ended'].status,
  'effects.graded': SQL_OF_GROUP['effects.graded'].grade,
  'approvals.requested': `''`,
  'approvals.decided': SQL_OF_GROUP['approvals.decided'].status,
  'messages.accepted': withoutEvents(`''`),
  'messages.ended': withoutEvents(SQL_OF_GROUP['messages.ended'].status),
  'schedules.fired': SQL_OF_GROUP['schedules.fired'].outcome,
  'runs.started': `''`,
  'runs.ended': SQL_OF_GROUP['runs.ended'].status,
};

const GAUGES = [
  'invocationsPending',
  'effectsUnknown',
  'approvalsPending',
  'messagesPending',
  'schedulesActive',
  'runsRunning',
  'deadLetters',
] as const satisfies readonly GaugeName[];

export const overviewRoute = defineRoute(
  analyticsRead({
    id: 'analytics.overview',
    path: '/api/v2/analytics/overview',
    summary: 'Get the numbers of the environment at a glance',
    description:
      'Records count at the time at which they ended, and under the status that they have now. `previous` has the range of equal length before ' +
      'this one, for a comparison. `interval` only says to which grid the bounds move.',
    data: overviewSchema,
    async read(tx, { range }) {
      const [current, previous, gauges, oldest] = await tx.inOrder(
        () => numbersOf(tx, sourcesOfSum(range)),
        () => numbersOf(tx, sourcesOfSum(precedingRange(range))),
        () => readGauges(tx, GAUGES),
        () => oldestUnknownAt(tx),
      );
      return {
        data: {
          invocations: { ...current.invocations, pendingNow: gauges.invocationsPending },
          effects: {
            ...current.effects,
            unknownNow: gauges.effectsUnknown,
            oldestUnknownAt: oldest?.toISOString() ?? null,
          },
          approvals: { ...current.approvals, pendingNow: gauges.approvalsPending },
          messages: { ...current.messages, pendingNow: gauges.messagesPending },
          schedules: { ...current.schedules, activeNow: gauges.schedulesActive },
          runs: { ...current.runs, runningNow: gauges.runsRunning },
          deadLettersNow: gauges.deadLetters,
          previous,
        },
      };
    },
  }),
);

/** Returns null for deliveries of events, which the list of messages excludes too. */
function withoutEvents(key: string): string {
  return `CASE WHEN ${SQL_OF_GROUP['messages.ended'].kind} <> 'event' THEN ${key} END`;
}

type Numbers = z.input<typeof overviewSchema>['previous'];

async function numbersOf(tx: EnvironmentTransaction, sources: Sources): Promise<Numbers> {
  const [counts, durations] = await tx.inOrder(
    () => readCounts(tx, sources, GROUPS),
    () => readHistograms(tx, sources, { kind: 'approvals.decided', group: `''` }),
  );
  return present(new Counted(counts), durations.get('') ?? []);
}

function present(counted: Counted, decisions: Counts): Numbers {
  const ended = (status: string): number => counted.n('invocations.ended', status);
  const decided = (status: string): number => counted.n('approvals.decided', status);
  const sent = (status: string): number => counted.n('messages.ended', status);
  const ran = (status: string): number => counted.n('runs.ended', status);
  const byGrade = gradesOf(counted);
  return {
    invocations: {
      created: counted.n('invocations.created'),
      succeeded: ended('succeeded'),
      failed: ended('failed'),
      unknown: ended('unknown'),
      refused: ended('refused'),
      denied: ended('denied'),
      expired: ended('expired'),
      cancelled: ended('cancelled'),
    },
    effects: { byGrade, confirmedShare: rate(byGrade.confirmed, byGrade.confirmed + byGrade.acknowledged) },
    approvals: {
      requested: counted.n('approvals.requested'),
      approved: decided('approved'),
      denied: decided('denied'),
      expired: decided('expired'),
      decisionMs: percentilesOf(decisions),
      approximate: APPROXIMATE,
    },
    messages: {
      accepted: counted.n('messages.accepted', ''),
      delivered: sent('delivered'),
      failed: sent('failed'),
      cancelled: sent('cancelled'),
      deliveryRate: rate(sent('delivered'), sent('delivered') + sent('failed')),
    },
    schedules: {
      firings: counted.n('schedules.fired'),
      failed: counted.n('schedules.fired', 'failed'),
      missed: counted.n('schedules.fired', 'missed'),
    },
    runs: {
      started: counted.n('runs.started'),
      succeeded: ran('succeeded'),
      failed: ran('failed'),
      cancelled: ran('cancelled'),
      tokens: counted.s1('runs.ended'),
      costUsd: usdOf(counted.s2('runs.ended')),
    },
  };
}
