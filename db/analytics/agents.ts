import { OTHER, SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { ROLLUPS, sourceBindings } from './rollups.ts';

const VERSIONS_MAX = 10;

/** The numbers of one agent. `agentId` is empty where none was named. */
export interface AgentCounts {
  agentId: string;
  /** The newest first, at most 10. */
  versions: string[];
  started: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  inputTokens: number;
  outputTokens: number;
  tokens: number;
  costMicros: number;
  invocations: number;
  refused: number;
  approvalsRequested: number;
  lastSeenAt: Date | null;
}

export const AGENT_SORTS = ['lastSeenAt', 'invocations', 'runs', 'failed', 'tokens', 'costUsd'] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];

/** The column that each order begins with, the largest first. */
const ORDERS: Record<AgentSort, string> = {
  lastSeenAt: '"lastSeenAt"',
  invocations: 'invocations',
  runs: 'started',
  failed: 'failed',
  tokens: 'tokens',
  costUsd: '"costMicros"',
};

export interface AgentPage {
  /** Only this agent. */
  agentId: string | null;
  sort: AgentSort;
  limit: number;
  offset: number;
}

/** One page of the agents that were seen, how many there are, and whether the rollups hold some of them together. */
export async function readAgents(
  tx: EnvironmentTransaction,
  sources: Sources,
  { sort, ...page }: AgentPage,
): Promise<{ items: AgentCounts[]; total: number; isTruncated: boolean }> {
  const { rows } = await tx.raw<{ rows: (AgentCounts & { total: number; isTruncated: boolean })[] }>(
    // Invocations are many rows, by action and status: they are summed by agent at once.
    { variantsOf: 'read_agents' },
    `WITH counted AS MATERIALIZED (
       SELECT kind, d3 AS "agentId", '' AS d1, '' AS version, sum(n) AS n, sum(s1) AS s1, 0 AS s2, max(last_at) AS last_at,
         sum(n) FILTER (WHERE ${SQL_OF_GROUP['invocations.ended'].status} = 'refused') AS refused
       FROM ${ROLLUPS} r WHERE kind IN ('invocations.created', 'invocations.ended') AND n > 0 GROUP BY kind, d3
       UNION ALL
       SELECT kind, d2, d1, ${VERSION}, sum(n), sum(s1), sum(s2), max(last_at), NULL
       FROM ${ROLLUPS} r WHERE kind IN ('runs.started', 'runs.ended', 'runs.tokens') AND n > 0 GROUP BY 1, 2, 3, 4),
     agents AS (${AGENTS} WHERE CAST(:agentId AS text) IS NULL OR "agentId" = :agentId GROUP BY "agentId"),
     paged AS (SELECT * FROM agents ORDER BY ${ORDERS[sort]} DESC NULLS LAST, "agentId" LIMIT :limit OFFSET :offset)
     SELECT p.*, t.total, t."isTruncated", ARRAY(
         SELECT version FROM counted c WHERE c."agentId" = p."agentId" AND version <> ''
         GROUP BY version ORDER BY max(last_at) DESC NULLS LAST, version DESC LIMIT ${VERSIONS_MAX}) AS versions
     FROM (SELECT CAST(count(*) AS int) AS total, COALESCE(bool_or("agentId" = '${OTHER}'), false) AS "isTruncated" FROM agents) t
       LEFT JOIN paged p ON true
     ORDER BY ${ORDERS[sort]} DESC NULLS LAST, "agentId"`,
    { ...sourceBindings(sources), ...page },
  );
  const items = rows.filter(({ agentId }) => agentId !== null);
  return {
    items: items.map((row) => {
      const { total: _, isTruncated: __, ...counts } = row;
      return counts;
    }),
    total: rows[0]?.total ?? 0,
    isTruncated: rows[0]?.isTruncated ?? false,
  };
}

const VERSION = `CASE WHEN kind IN ('runs.started', 'runs.ended') THEN d3 ELSE '' END`;

const sumOf = (member: 'n' | 's1' | 's2' | 'refused', condition: string): string =>
  `CAST(COALESCE(sum(${member}) FILTER (WHERE ${condition}), 0) AS float8)`;

const AGENTS = `
  SELECT "agentId",
    ${sumOf('n', `kind = 'runs.started'`)} AS started,
    ${sumOf('n', `kind = 'runs.ended' AND d1 = 'succeeded'`)} AS succeeded,
    ${sumOf('n', `kind = 'runs.ended' AND d1 = 'failed'`)} AS failed,
    ${sumOf('n', `kind = 'runs.ended' AND d1 = 'cancelled'`)} AS cancelled,
    ${sumOf('s1', `kind = 'runs.tokens'`)} AS "inputTokens",
    ${sumOf('s2', `kind = 'runs.tokens'`)} AS "outputTokens",
    ${sumOf('s1', `kind = 'runs.ended'`)} AS tokens,
    ${sumOf('s2', `kind = 'runs.ended'`)} AS "costMicros",
    ${sumOf('n', `kind = 'invocations.created'`)} AS invocations,
    ${sumOf('refused', `kind = 'invocations.ended'`)} AS refused,
    ${sumOf('s1', `kind = 'invocations.created'`)} AS "approvalsRequested",
    max(last_at) AS "lastSeenAt"
  FROM counted`;

const KIND = 'policy.decisions';

/** How often a rule of a policy had an effect. The three are null where no policy decided. */
export interface PolicyDecisions {
  policyId: string | null;
  ruleId: string | null;
  version: number | null;
  effect: string;
  count: number;
}

/** The rules that decided most, at most `limit`, and whether there are more. */
export async function readPolicyDecisions(
  tx: EnvironmentTransaction,
  sources: Sources,
  limit: number,
): Promise<{ items: PolicyDecisions[]; isTruncated: boolean }> {
  const { effect, policy, version, rule } = SQL_OF_GROUP[KIND];
  const { rows } = await tx.raw<{ rows: PolicyDecisions[] }>(
    { variantsOf: 'read_policy_decisions' },
    `SELECT NULLIF(${policy}, '') AS "policyId", NULLIF(CASE WHEN d3 = '${OTHER}' THEN d3 ELSE ${rule} END, '') AS "ruleId",
       CASE WHEN d3 <> '${OTHER}' THEN CAST(NULLIF(${version}, '') AS int) END AS version,
       ${effect} AS effect, CAST(sum(n) AS float8) AS count
     FROM ${ROLLUPS} r WHERE kind = '${KIND}' GROUP BY 1, 2, 3, 4 HAVING sum(n) > 0 ORDER BY sum(n) DESC, 1, 2, 3, 4 LIMIT :most`,
    { ...sourceBindings(sources), most: limit + 1 },
  );
  const isTruncated = rows.length > limit || rows.some(({ policyId }) => policyId === OTHER);
  return { items: rows.slice(0, limit), isTruncated };
}

/** Changes of the halt that are looked at, the newest ones. */
const CHANGES_MAX = 200;

/** A time in which nothing was sent. */
export interface HaltTime {
  at: Date;
  by: { type: string; id: string | null };
  /** Null while the halt lasts. */
  until: Date | null;
}

/** The halts of the environment that touch `[from, to)`, the newest first, by the audit log. */
export async function readHalts(
  tx: EnvironmentTransaction,
  { from, to }: { from: Date; to: Date },
): Promise<HaltTime[]> {
  const { rows } = await tx.raw<{ rows: (Omit<HaltTime, 'by'> & { type: string; id: string | null })[] }>(
    'read_halts',
    `WITH changes AS (
       SELECT action, recorded_at, actor_type, actor_id, sequence FROM audit_log
       WHERE workspace_id = current_workspace_id() AND target_id = CAST(current_environment_id() AS text)
         AND action IN ('environment.halted', 'environment.resumed')
       ORDER BY sequence DESC LIMIT :most),
     halts AS (
       SELECT action, recorded_at AS at, actor_type AS type, actor_id AS id, lead(recorded_at) OVER (ORDER BY sequence) AS until
       FROM changes)
     SELECT at, type, id, until FROM halts
     WHERE action = 'environment.halted' AND at < :to AND (until IS NULL OR until > :from) ORDER BY at DESC`,
    { from, to, most: CHANGES_MAX },
  );
  return rows.map(({ at, type, id, until }) => ({ at, by: { type, id }, until }));
}
