import { DERIVED_FROM_JOB, DERIVED_FROM_MEMORY, type MemoryFilter } from '../../domain/memory/memories.ts';
import type { JsonObject } from '../../domain/json.ts';
import { CHUNK_METADATA } from '../../domain/memory/memory-jobs.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './records.ts';

/** Locks the chain of a memory whose time is over, for its deletion. False: its time was extended meanwhile, or it is gone. */
export async function lockExpired(tx: EnvironmentTransaction, id: string): Promise<boolean> {
  // Where the lock was waited for, PostgreSQL looks at the time again.
  const rows = await tx.rows<unknown>(
    'lock_expired',
    `SELECT 1 FROM memories r WHERE r.id = (SELECT m.chain_id FROM memories m WHERE m.id = ?) AND r.expires_at <= now() FOR UPDATE`,
    [id],
  );
  return rows.length > 0;
}

/** How many chains one look goes through: what is derived of one memory alone may be as deep as it is long. */
export const LOOKED_AT_MAX = 20_000;

export interface Deleted {
  /** Memories: every version of each chain. */
  deleted: number;
  /** False: more chains were derived from them than `most`. Asked again, it goes on with those. */
  isWhole: boolean;
}

/**
 * Deletes the whole chains of memories, and all memories that were derived from any version of them, directly or through others: up to
 * `most` chains, beginning with those from which nothing was derived. A chain is thus deleted after everything that was derived from it,
 * and a deletion that stops early can still find the rest. Chains are locked first: a version or a derived memory that is being added is
 * either seen here, or finds its chain gone.
 *
 * @param lookedAtMax for tests.
 */
export async function deleteMemories(
  tx: EnvironmentTransaction,
  ids: readonly string[],
  most: number,
  lookedAtMax = LOOKED_AT_MAX,
): Promise<Deleted> {
  const { chains, isWhole } = await lastDerived(tx, ids, most, lookedAtMax);
  const doomed = new Set<string>();
  let locked = await lockChains(tx, chains);
  while (locked.length > 0) {
    for (const chain of locked) doomed.add(chain);
    locked = await lockDerivedMeanwhile(tx, locked, doomed);
  }
  if (doomed.size === 0) return { deleted: 0, isWhole };
  const row = await tx.row<{ n: number }>(
    'delete_memories',
    `WITH gone AS (DELETE FROM memories WHERE chain_id = ANY (:chains) RETURNING id) SELECT count(*)::int AS n FROM gone`,
    { chains: [...doomed] },
  );
  return { deleted: row?.n ?? 0, isWhole };
}

/**
 * Up to `most` chains of what is to be deleted, of which each comes with all that was derived from it.
 */
async function lastDerived(
  tx: EnvironmentTransaction,
  ids: readonly string[],
  most: number,
  lookedAtMax: number,
): Promise<{ chains: string[]; isWhole: boolean }> {
  let from = ids;
  for (;;) {
    const found = await findDerived(tx, from, lookedAtMax);
    const isAll = found.length < lookedAtMax;
    const parents = new Map(found.map(({ id, parentId }) => [id, parentId]));
    const depths = depthsOf(parents);
    const kept = isAll ? new Set<string>() : withAncestors(await findUnfinished(tx, parents), parents);
    const whole = [...parents.keys()].filter((id) => !kept.has(id));
    if (whole.length > 0 || isAll) {
      const deepestFirst = whole.sort((one, other) => (depths.get(other) ?? 0) - (depths.get(one) ?? 0));
      return { chains: deepestFirst.slice(0, most), isWhole: isAll && from === ids && whole.length <= most };
    }
    // Each leads on to what was not looked at: from the one that is furthest down there is less.
    from = [[...kept].reduce((one, other) => ((depths.get(other) ?? 0) > (depths.get(one) ?? 0) ? other : one))];
  }
}

/**
 * What is derived from the chain `from.id`. The order and OFFSET 0 make each step a look at an index: the planner else reads all memories
 * of the environment for it.
 */
const derivedFrom = (from: string): string => `
  CROSS JOIN LATERAL (SELECT v.id FROM memories v WHERE v.chain_id = ${from}.id ORDER BY v.version OFFSET 0) v
  CROSS JOIN LATERAL (SELECT d.id FROM memories d WHERE d.environment_id = (SELECT current_environment_id()) AND d.source_id = v.id
    AND d.source_type = :type AND d.version = 1 OFFSET 0) d`;

interface Derived {
  id: string;
  /** The chain that it is derived from, if from any: it may be none of those that are looked at. */
  parentId: string | null;
}

/**
 * The chains of memories, and those that are derived from them, in one look: the nearest first. Every version of a chain has its source.
 */
async function findDerived(tx: EnvironmentTransaction, ids: readonly string[], most: number): Promise<Derived[]> {
  return tx.rows<Derived>(
    'find_derived',
    `WITH RECURSIVE doomed (id) AS (
       SELECT m.chain_id FROM memories m WHERE m.id = ANY (:ids)
       UNION
       SELECT d.id FROM doomed w ${derivedFrom('w')})
     SELECT w.id, (SELECT s.chain_id FROM memories r JOIN memories s ON s.id = r.source_id AND s.environment_id = r.environment_id
       WHERE r.id = w.id AND r.source_type = :type) AS "parentId"
     FROM (SELECT id FROM doomed LIMIT :most) w`,
    { ids, most, type: DERIVED_FROM_MEMORY },
  );
}

/** Those of the chains from which more is derived than was found. */
async function findUnfinished(
  tx: EnvironmentTransaction,
  parents: ReadonlyMap<string, string | null>,
): Promise<string[]> {
  const found = new Map<string, number>([...parents.keys()].map((id) => [id, 0]));
  for (const parent of parents.values()) if (parent !== null) found.set(parent, (found.get(parent) ?? 0) + 1);
  const rows = await tx.rows<{ id: string }>(
    'find_unfinished',
    `SELECT c.id FROM unnest(CAST(:chains AS text[]), CAST(:counts AS integer[])) AS c (id, found) CROSS JOIN LATERAL (
       SELECT count(*) AS n FROM (SELECT d.id FROM (SELECT c.id) one ${derivedFrom('one')} LIMIT c.found + 1) derived) there
     WHERE there.n > c.found`,
    { chains: [...parents.keys()], counts: [...parents.keys()].map((id) => found.get(id)), type: DERIVED_FROM_MEMORY },
  );
  return rows.map(({ id }) => id);
}

function withAncestors(ids: readonly string[], parents: ReadonlyMap<string, string | null>): Set<string> {
  const all = new Set<string>();
  for (const id of ids) {
    for (let at: string | null = id; at !== null && parents.has(at) && !all.has(at); at = parents.get(at) ?? null)
      all.add(at);
  }
  return all;
}

/** How far each is from where its way up ends, in the chains that are looked at. */
function depthsOf(parents: ReadonlyMap<string, string | null>): Map<string, number> {
  const depths = new Map<string, number>();
  for (const id of parents.keys()) {
    const way = new Set<string>();
    let at: string | null = id;
    for (; at !== null && parents.has(at) && !depths.has(at) && !way.has(at); at = parents.get(at) ?? null) way.add(at);
    let depth = at === null ? 0 : (depths.get(at) ?? -1) + 1;
    for (const one of [...way].toReversed()) depths.set(one, depth++);
  }
  return depths;
}

async function lockChains(tx: EnvironmentTransaction, chains: readonly string[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    'lock_chains',
    'SELECT r.id FROM memories r WHERE r.id = ANY (:chains) ORDER BY r.id FOR UPDATE',
    { chains },
  );
  return rows.map(({ id }) => id);
}

/** Memories that were derived from them while this waited for their locks. */
async function lockDerivedMeanwhile(
  tx: EnvironmentTransaction,
  chains: readonly string[],
  known: ReadonlySet<string>,
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    'lock_derived_meanwhile',
    `SELECT d.id FROM unnest(CAST(:chains AS text[])) AS c (id) ${derivedFrom('c')}`,
    { chains, type: DERIVED_FROM_MEMORY },
  );
  const late = rows.map(({ id }) => id).filter((id) => !known.has(id));
  return late.length === 0 ? [] : lockChains(tx, late);
}

/**
 * Deletes the chains of the memories that a filter finds and that were recorded until `until`, with what was derived from them: up to
 * `most` chains. Where any version matches, the whole chain goes. Expired ones count too, since nothing of them may stay.
 */
export async function forgetMemories(
  tx: EnvironmentTransaction,
  wanted: Pick<Wanted, 'collectionIds' | 'filter'>,
  { until, most }: { until: Date | null; most: number },
): Promise<Deleted> {
  const { sql, bindings } = conditionsOf({ ...wanted, moment: null, includeSuperseded: true, includeExpired: true });
  const rows = await tx.rows<{ chainId: string }>(
    { variantsOf: 'forget_memories' },
    `SELECT DISTINCT m.chain_id AS "chainId" FROM memories m
     WHERE ${sql} AND (CAST(:until AS timestamptz) IS NULL OR m.created_at <= :until) LIMIT :most`,
    { ...bindings, until, most },
  );
  const chains = rows.map(({ chainId }) => chainId);
  const { deleted, isWhole } = await deleteMemories(tx, chains, most);
  return { deleted, isWhole: isWhole && chains.length < most };
}

/**
 * Applies a forgetting to the chunks that an ingest has not stored yet: a job whose input is still to be split fails if a chunk of it may
 * match, and matching chunks are deleted. Both happen under the lock of their job, so that no page stores them meanwhile. Before the
 * split nobody knows the metadata that the job writes into its chunks; all other metadata are those of the request.
 */
export async function forgetUnstored(
  tx: EnvironmentTransaction,
  collectionIds: readonly string[],
  { userId, agentId, sessionId, kind, source, metadata }: Omit<MemoryFilter, 'collectionIds'>,
): Promise<void> {
  const wanted = Object.entries({ userId, agentId, sessionId, kind }).filter(([, value]) => value !== undefined);
  const bindings = {
    collectionIds,
    template: JSON.stringify(Object.fromEntries(wanted)),
    jobId: source?.type === DERIVED_FROM_JOB ? (source.id ?? null) : null,
    metadata: JSON.stringify(metadata ?? {}),
    writtenOf: JSON.stringify(CHUNK_METADATA),
    otherSource: source !== undefined && source.type !== DERIVED_FROM_JOB,
  };
  const jobs = await tx.rows<{ id: string; isSplit: boolean; metadata: JsonObject }>(
    'forget_unstored',
    `SELECT j.id, j.total IS NOT NULL AS "isSplit", j.template -> 'metadata' AS metadata FROM memory_jobs j
     WHERE j.environment_id = current_environment_id() AND j.kind = 'ingest' AND j.ended_at IS NULL AND NOT :otherSource
       AND j.collection_id = ANY (:collectionIds) AND j.template @> CAST(:template AS jsonb)
       AND (CAST(:jobId AS text) IS NULL OR j.id = :jobId)
       AND (j.total IS NOT NULL OR j.template -> 'metadata' @> (CAST(:metadata AS jsonb) - ARRAY(
         SELECT jsonb_array_elements_text(w.names) FROM jsonb_each(CAST(:writtenOf AS jsonb)) AS w (source, names)
         WHERE j.input -> w.source IS NOT NULL)))
     ORDER BY j.id FOR NO KEY UPDATE`,
    bindings,
  );
  for (const job of jobs) await forgetOfJob(tx, job, metadata ?? {});
}

async function forgetOfJob(
  tx: EnvironmentTransaction,
  { id, isSplit, metadata: shared }: { id: string; isSplit: boolean; metadata: JsonObject },
  metadata: JsonObject,
): Promise<void> {
  if (!isSplit) {
    const error = { code: 'CONFLICT', message: 'What it was to store was forgotten before it was stored.' };
    // Its chunks are not known yet, so none of it is stored: otherwise too much could be.
    await tx.raw(
      'forget_of_job',
      `UPDATE memory_jobs SET status = 'failed', error = CAST(? AS jsonb), input = NULL, updated_at = now(), ended_at = now() WHERE id = ?`,
      [JSON.stringify(error), id],
    );
    return;
  }
  const rows = await tx.rows<unknown>(
    'forget_of_job_2',
    `DELETE FROM memory_job_chunks WHERE job_id = :id AND (CAST(:shared AS jsonb) || metadata) @> CAST(:metadata AS jsonb) RETURNING 1`,
    { id, shared: JSON.stringify(shared), metadata: JSON.stringify(metadata) },
  );
  await tx.raw('forget_of_job_3', 'UPDATE memory_jobs SET total = total - ?, updated_at = now() WHERE id = ?', [
    rows.length,
    id,
  ]);
}
