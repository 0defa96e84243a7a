import type { z } from 'zod';
import { type Groups, readCounts, readHistograms } from '../../db/analytics/rollups.ts';
import { oldestUnknownAt, readGauges } from '../../db/analytics/messages.ts';
import { type HaltTime, type PolicyDecisions, readHalts, readPolicyDecisions } from '../../db/analytics/agents.ts';
import { listImpactLimits } from '../../db/impact-limits/limits.ts';
import type { LimitDetail } from '../../db/impact-limits/records.ts';
import { Counted, rate } from '../../domain/analytics/counted.ts';
import { SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import { SQL_OF_REFUSAL } from '../../domain/analytics/metrics.ts';
import { APPROXIMATE, type Counts, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { sourcesOfSum } from '../../domain/analytics/sources.ts';
import { LIVE_LIMITS_MAX } from '../../domain/impact-limits/limits.ts';
import type { Verification } from '../../domain/lifecycle.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { gradesOf } from './grades.ts';
import { trustControlSchema } from './trust-control-schemas.ts';

const POLICIES_MAX = 50;

const GROUPS: Groups = {
  'policy.decisions': SQL_OF_GROUP['policy.decisions'].effect,
  'approvals.requested': `''`,
  'approvals.decided': SQL_OF_GROUP['approvals.decided'].status,
  'effects.graded': SQL_OF_GROUP['effects.graded'].grade,
  'invocations.ended': SQL_OF_REFUSAL,
  'unknowns.opened': `''`,
  'unknowns.resolved': SQL_OF_GROUP['unknowns.resolved'].by,
};

type TrustControl = z.input<typeof trustControlSchema>;

export const trustControlRoute = defineRoute(
  analyticsRead({
    id: 'analytics.trustControl',
    path: '/api/v2/analytics/trust-control',
    summary: 'Get what governed the actions of the environment',
    description:
      'What policies decided, what people were asked and said, how effects ended and who says so, and what was refused. Times are those at which ' +
      'something was decided or ended. `interval` only says to which grid the bounds move.',
    data: trustControlSchema,
    async read(tx, { range, now }) {
      const sources = sourcesOfSum(range);
      const [counts, verified, policies, decisions, resolutions, gauges, oldest, halts] = await tx.inOrder(
        () => readCounts(tx, sources, GROUPS),
        () => readCounts(tx, sources, { 'effects.graded': SQL_OF_GROUP['effects.graded'].verification }),
        () => readPolicyDecisions(tx, sources, POLICIES_MAX),
        () => readHistograms(tx, sources, { kind: 'approvals.decided', group: `''` }),
        () => readHistograms(tx, sources, { kind: 'unknowns.resolved', group: `''` }),
        () => readGauges(tx, ['effectsUnknown']),
        () => oldestUnknownAt(tx),
        () => readHalts(tx, range),
      );
      const limits = await listImpactLimits(tx, { includeArchived: false, limit: LIVE_LIMITS_MAX, offset: 0 }, now);
      const counted = new Counted(counts);
      return {
        data: {
          ...decidedOf(counted, decisions.get('') ?? []),
          verification: verificationOf(new Counted(verified)),
          byPolicy: policies.items.map(presentDecisions),
          unknowns: {
            opened: counted.n('unknowns.opened'),
            resolvedByLookup: counted.n('unknowns.resolved', 'lookup'),
            resolvedManually: counted.n('unknowns.resolved', 'manual'),
            openNow: gauges.effectsUnknown,
            oldestOpenAt: oldest?.toISOString() ?? null,
            resolutionMs: percentilesOf(resolutions.get('') ?? []),
            approximate: APPROXIMATE,
          },
          impactLimits: limits.items.map(presentLimit),
          halts: halts.map(presentHalt),
          truncated: policies.isTruncated,
        },
      };
    },
  }),
);

type Decided = Pick<TrustControl, 'decisions' | 'approvals' | 'grades' | 'refusals'>;

function decidedOf(counted: Counted, durations: Counts): Decided {
  const decided = (effect: string): number => counted.n('policy.decisions', effect);
  const ended = (status: string): number => counted.n('approvals.decided', status);
  return {
    decisions: { allow: decided('allow'), requireApproval: decided('require_approval'), deny: decided('deny') },
    approvals: {
      requested: counted.n('approvals.requested'),
      approved: ended('approved'),
      denied: ended('denied'),
      expired: ended('expired'),
      cancelled: ended('cancelled'),
      invalidated: ended('invalidated'),
      decisionMs: percentilesOf(durations),
      approximate: APPROXIMATE,
    },
    grades: gradesOf(counted),
    refusals: counted
      .groups('invocations.ended')
      .filter(({ key }) => key !== null && key !== '')
      .map(({ key, n }) => ({ code: key ?? '', count: n })),
  };
}

function verificationOf(counted: Counted): TrustControl['verification'] {
  const by = (verification: Verification): number => counted.n('effects.graded', verification);
  return {
    provider: by('provider'),
    manual: by('manual'),
    unverified: by('unverified'),
    notDispatched: by('not_dispatched'),
  };
}

function presentDecisions({ effect, ...rule }: PolicyDecisions): TrustControl['byPolicy'][number] {
  return { ...rule, effect: effect as TrustControl['byPolicy'][number]['effect'] };
}

function presentLimit(limit: LimitDetail): TrustControl['impactLimits'][number] {
  const { id, name, dimension, currency, cap, settled, reserved, exposures, currentPeriod, crossings } = limit;
  return {
    limitId: id,
    name,
    dimension,
    currency,
    cap,
    settled,
    reserved,
    unknown: exposures.unknown,
    utilisation: currentPeriod === null ? null : rate(settled + reserved, cap),
    exceeded: currentPeriod !== null && crossings.some(({ threshold }) => threshold === null),
  };
}

function presentHalt({ at, by, until }: HaltTime): TrustControl['halts'][number] {
  return { at: at.toISOString(), by: by as TrustControl['halts'][number]['by'], until: until?.toISOString() ?? null };
}
