import type { EnvironmentTransaction } from '../client.ts';

/**
 * The statements of `npm run archive`. The transaction is one of the owner of the tables, who may be a superuser: row-level security binds no
 * superuser, so each statement names the environment.
 */

export interface Candidate {
  id: string;
  effectId: string | null;
  createdAt: Date;
  /** `YYYY-MM` of its admission. */
  month: string;
  /** Why it stays; null where nothing of its own keeps it. */
  refusal: string | null;
  /** The invocations whose records refer to it. They must have left before it, or leave with it. */
  referrers: string[];
}

/** Invocations that were admitted before a time, newest first, behind the last one of the page before. */
export async function listCandidates(
  tx: EnvironmentTransaction,
  { before, behind, most }: { before: Date; behind: Pick<Candidate, 'id' | 'createdAt'> | null; most: number },
): Promise<Candidate[]> {
  return tx.rows<Candidate>(
    'list_candidates',
    `SELECT i.id, (SELECT e.id FROM effects e WHERE e.invocation_id = i.id) AS "effectId", i.created_at AS "createdAt",
       to_char(i.created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, refusal_to_archive(i, :before) AS refusal, referrers_of(i) AS referrers
     FROM invocations i WHERE i.environment_id = current_environment_id() AND i.created_at < :before
       AND (i.created_at, i.id) < (COALESCE(CAST(:createdAt AS timestamptz), 'infinity'), COALESCE(:id, ''))
     ORDER BY i.created_at DESC, i.id DESC LIMIT :most`,
    { before, createdAt: behind?.createdAt ?? null, id: behind?.id ?? null, most },
  );
}

export interface RecordLine {
  id: string;
  /** The rows of each table, as PostgreSQL prints a `jsonb` value: one line. */
  line: string;
}

/** The whole records of invocations, in the order of their ids here. */
export async function readRecords(tx: EnvironmentTransaction, ids: readonly string[]): Promise<RecordLine[]> {
  return tx.rows<RecordLine>(
    'read_records',
    `SELECT i.id, archive_record(i)::text AS line FROM unnest(CAST(:ids AS text[])) WITH ORDINALITY AS n (id, place)
       JOIN invocations i ON i.id = n.id WHERE i.environment_id = current_environment_id() ORDER BY n.place`,
    { ids: [...ids] },
  );
}

/** How many of these invocations are in the database still. An archival takes all of a file, or none. */
export async function countPresent(tx: EnvironmentTransaction, ids: readonly string[]): Promise<number> {
  const row = await tx.row<{ count: number }>(
    'count_present',
    'SELECT count(*)::int AS count FROM invocations WHERE id = ANY(:ids) AND environment_id = current_environment_id()',
    { ids: [...ids] },
  );
  return row?.count ?? 0;
}

/**
 * Deletes the records of these invocations and keeps their operation keys. The database compares each record with the digest of its line, and
 * refuses all of them where one differs, is not at rest, is too young, or is referred to.
 */
export async function archiveInvocations(
  tx: EnvironmentTransaction,
  archive: string,
  lines: readonly { id: string; sha256: string }[],
): Promise<void> {
  await tx.raw('archive_invocations', 'SELECT archive_invocations(:ids, :digests, :archive)', {
    ids: lines.map(({ id }) => id),
    digests: lines.map(({ sha256 }) => sha256),
    archive,
  });
}
