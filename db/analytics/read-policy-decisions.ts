import { OTHER, SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { ROLLUPS, sourceBindings } from './rollups.ts';

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
