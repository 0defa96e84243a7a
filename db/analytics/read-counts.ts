import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { rollupsFor, sourceBindings } from './rollups.ts';

/** A group of a kind, as `SQL_OF_GROUP` spells its key. */
export type Groups = Partial<Record<AnalyticsKind, string>>;

/** The sums of one group: what `n`, `s1` and `s2` are is in the table of `kinds.ts`. */
export interface Count {
  kind: AnalyticsKind;
  /** Null where the group has no key for it. */
  key: string | null;
  n: number;
  s1: number;
  s2: number;
}

/** Sums the rollups of several kinds, each by its own group, over the whole of the sources. */
export async function readCounts(tx: EnvironmentTransaction, sources: Sources, groups: Groups): Promise<Count[]> {
  const kinds = Object.keys(groups) as AnalyticsKind[];
  const keys = kinds.map((kind) => `WHEN '${kind}' THEN ${groups[kind]}`).join(' ');
  const { rows } = await tx.raw<{ rows: Count[] }>(
    { variantsOf: 'read_counts' },
    `SELECT kind, key, CAST(sum(n) AS float8) AS n, CAST(sum(s1) AS float8) AS s1, CAST(sum(s2) AS float8) AS s2
     FROM (SELECT *, CASE kind ${keys} END AS key FROM ${rollupsFor(groups)} r WHERE kind = ANY (CAST(:kinds AS text[]))) k
     GROUP BY kind, key HAVING sum(n) > 0 ORDER BY sum(n) DESC, key`,
    { ...sourceBindings(sources), kinds },
  );
  return rows;
}
