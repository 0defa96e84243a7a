import { z } from 'zod';
import { AGENT_SORTS, type AgentCounts, readAgents } from '../../db/analytics/agents.ts';
import { readHistograms } from '../../db/analytics/rollups.ts';
import { usdOf } from '../../domain/analytics/counted.ts';
import { SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import { APPROXIMATE, type Counts, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { sourcesOfSum } from '../../domain/analytics/sources.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { approximateSchema, count, percentilesSchema, truncatedSchema } from './range-schemas.ts';

export const agentSchema = z
  .strictObject({
    agentId: z.string().nullable().describe('Null for invocations and runs that named no agent.'),
    versions: z.array(z.string()).max(10).describe('Those that its runs named, the newest first, at most 10.'),
    runs: z.strictObject({
      started: count.describe('Began in the range.'),
      succeeded: count.describe('Ended in the range with this status, and so are the next ones.'),
      failed: count,
      cancelled: count,
    }),
    durationMs: percentilesSchema.describe('From the start to the end of the runs that ended in the range.'),
    approximate: approximateSchema,
    tokens: z.strictObject({
      input: count.describe(
        'What the runs that ended in the range say, and so is `output`. Runs with a sum alone are in neither.',
      ),
      output: count,
    }),
    costUsd: z.number().min(0).describe('What these runs say that they cost, in US dollars.'),
    invocations: count.describe('Admitted in the range.'),
    refused: count.describe('Ended in the range as `refused`. Denied, expired and cancelled ones are not.'),
    approvalsRequested: count.describe('Invocations, admitted in the range, that asked for an approval.'),
    lastSeenAt: z.iso.datetime().nullable().describe('The newest time in the range that is counted here.'),
  })
  .meta({ id: 'AnalyticsAgent' });

export const agentsRoute = defineRoute(
  analyticsRead({
    id: 'analytics.agents',
    path: '/api/v2/analytics/agents',
    summary: 'List what each agent did',
    description:
      'The agents that runs and invocations named, those that were seen last first. Agents beyond the first 1,000 of a day are one entry, `(other)`.',
    query: {
      agentId: z.string().min(1).max(200).optional().describe('Only this agent.'),
      sort: z
        .enum(AGENT_SORTS)
        .default('lastSeenAt')
        .describe('The largest first. `runs`: those that began in the range.'),
    },
    paged: true,
    data: z.array(agentSchema),
    beside: { truncated: truncatedSchema },
    csv: {
      columns: [
        'agentId',
        'versions',
        'runs.started',
        'runs.succeeded',
        'runs.failed',
        'runs.cancelled',
        'durationMs.p50',
        'durationMs.p95',
        'durationMs.p99',
        'tokens.input',
        'tokens.output',
        'costUsd',
        'invocations',
        'refused',
        'approvalsRequested',
        'lastSeenAt',
      ],
    },
    async read(tx, { query: { agentId, sort }, range, page }) {
      const sources = sourcesOfSum(range);
      const { items, total, isTruncated } = await readAgents(tx, sources, { agentId: agentId ?? null, sort, ...page });
      const group = SQL_OF_GROUP['runs.ended'].agent;
      const keys = items.map((item) => item.agentId);
      const durations = await readHistograms(tx, sources, { kind: 'runs.ended', group, keys });
      return {
        data: items.map((item) => present(item, durations.get(item.agentId) ?? [])),
        beside: { truncated: isTruncated },
        total,
      };
    },
  }),
);

function present(item: AgentCounts, durations: Counts): z.input<typeof agentSchema> {
  const { agentId, versions, started, succeeded, failed, cancelled, lastSeenAt } = item;
  return {
    agentId: agentId === '' ? null : agentId,
    versions,
    runs: { started, succeeded, failed, cancelled },
    durationMs: percentilesOf(durations),
    approximate: APPROXIMATE,
    tokens: { input: item.inputTokens, output: item.outputTokens },
    costUsd: usdOf(item.costMicros),
    invocations: item.invocations,
    refused: item.refused,
    approvalsRequested: item.approvalsRequested,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}
