import type { Json, JsonObject } from '../../domain/json.ts';
import { selected, type Shortened, shortenedColumn } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type DeletedStep, deleteInSteps } from '../delete-in-steps.ts';

export interface CacheEntryRecord {
  id: string;
  prompt: string;
  response: Json;
  model: string | null;
  namespace: string;
  attributes: JsonObject;
  hits: number;
  createdAt: Date;
  expiresAt: Date;
  lastHitAt: Date | null;
}

/** In lists: large members are shortened. */
interface ListedCacheEntry extends Omit<CacheEntryRecord, 'prompt' | 'response'> {
  prompt: string | Shortened;
  response: Json | Shortened;
}

const COLUMNS = {
  id: 'c.id',
  prompt: 'c.prompt',
  response: 'c.response',
  model: 'c.model',
  namespace: 'c.namespace',
  attributes: 'c.attributes',
  hits: 'CAST(c.hits AS float8)',
  createdAt: 'c.created_at',
  expiresAt: 'c.expires_at',
  lastHitAt: 'c.last_hit_at',
};
export const CACHE_COLUMNS = selected(COLUMNS);
const LISTED_CACHE_COLUMNS = selected({
  ...COLUMNS,
  prompt: shortenedColumn('to_jsonb(c.prompt)'),
  response: shortenedColumn('c.response'),
});
/** An entry that has expired is none, also where it is there still. */
export const IS_LIVE = 'c.expires_at > now()';

export async function getEntry(tx: EnvironmentTransaction, id: string): Promise<CacheEntryRecord | null> {
  return tx.row<CacheEntryRecord>(
    'get_entry',
    `SELECT ${CACHE_COLUMNS} FROM cache_entries c WHERE c.id = ? AND ${IS_LIVE}`,
    [id],
  );
}

/** Newest first, ties by id, with large prompts and responses shortened. */
export async function listEntries(
  tx: EnvironmentTransaction,
  filter: { namespace: string | null } & Range,
): Promise<Page<ListedCacheEntry>> {
  return pageOf(tx, {
    name: 'list_entries',
    columns: LISTED_CACHE_COLUMNS,
    from: 'cache_entries c',
    where: `c.environment_id = current_environment_id() AND ${IS_LIVE}`,
    filters: { namespace: 'c.namespace = :namespace' },
    order: 'c.created_at DESC, c.id DESC',
    asked: filter,
  });
}

export async function deleteEntry(tx: EnvironmentTransaction, id: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'delete_entry',
    `DELETE FROM cache_entries c WHERE c.id = ? AND ${IS_LIVE}`,
    [id],
  );
  return rowCount === 1;
}

/** Deletes the entries of a namespace, and of these attributes where any are named; all where nothing is. Answers how many were live. */
export async function flushEntries(
  tx: EnvironmentTransaction,
  { namespace, attributes }: { namespace: string | null; attributes: JsonObject },
): Promise<number> {
  const which = { namespace, attributes: JSON.stringify(attributes) };
  return deleteInSteps(async (most) => {
    const rows = await tx.rows<DeletedStep>(
      'flush_entries',
      `WITH step AS MATERIALIZED (SELECT c.id FROM cache_entries c WHERE c.environment_id = current_environment_id()
         AND (CAST(:namespace AS text) IS NULL OR c.namespace = :namespace) AND c.attributes @> CAST(:attributes AS jsonb) LIMIT :most),
       gone AS (DELETE FROM cache_entries c USING step WHERE c.id = step.id RETURNING ${IS_LIVE} AS live)
       SELECT (SELECT count(*)::int FROM step) AS found, count(*) FILTER (WHERE live)::int AS counted FROM gone`,
      { ...which, most },
    );
    return rows[0];
  });
}

export interface CacheStats {
  entries: number;
  bytes: number;
  hits: number;
  misses: number;
  gated: number;
  tokensSaved: number;
}

export async function readCacheStats(tx: EnvironmentTransaction): Promise<CacheStats> {
  const stats = await tx.row<CacheStats>(
    'read_cache_stats',
    `SELECT e.*, k.* FROM
       (SELECT count(*)::int AS entries, CAST(COALESCE(sum(c.bytes), 0) AS float8) AS bytes FROM cache_entries c
        WHERE c.environment_id = current_environment_id() AND ${IS_LIVE}) e,
       (SELECT CAST(COALESCE(sum(hits), 0) AS float8) AS hits, CAST(COALESCE(sum(misses), 0) AS float8) AS misses,
          CAST(COALESCE(sum(gated), 0) AS float8) AS gated, CAST(COALESCE(sum(tokens_saved), 0) AS float8) AS "tokensSaved"
        FROM cache_counters WHERE environment_id = current_environment_id()) k`,
  );
  if (stats === null) throw new Error('a sum is one row');
  return stats;
}
