import type { Database } from '../client.ts';

type Page = { afterId: string; limit: number };

/** An app that registered itself is deleted after this long without a consent. */
const UNCONNECTED_HOURS = 24;
/** And this long after its last use, once nobody has it connected. */
const UNUSED_DAYS = 90;
/** An ended grant is kept so long, to tell what it was. */
const ENDED_GRANT_KEPT_DAYS = 90;
/** The provider takes what expired just now for valid, because clocks differ. */
const EXPIRED_KEPT_MINUTES = 5;

/** Codes, tokens and authorization requests that expired, as the hexadecimal form of their hashes, in order. */
export async function findExpiredArtifacts(db: Database, page: Page): Promise<string[]> {
  return idsOf(
    await db.directory.raw(
      'find_expired_artifacts',
      'SELECT id FROM find_expired_oauth_artifacts(make_interval(mins => ?), ?, ?)',
      [EXPIRED_KEPT_MINUTES, page.afterId, page.limit],
    ),
  );
}

export async function deleteExpiredArtifacts(db: Database, ids: readonly string[]): Promise<void> {
  await db.directory.raw(
    'delete_expired_artifacts',
    'SELECT delete_expired_oauth_artifacts(make_interval(mins => ?), ?::text[])',
    [EXPIRED_KEPT_MINUTES, [...ids]],
  );
}

/** Apps that registered themselves and that nobody has connected. */
export async function findUnusedClients(db: Database, page: Page): Promise<string[]> {
  return idsOf(
    await db.directory.raw(
      'find_unused_clients',
      'SELECT id FROM find_unused_oauth_clients(make_interval(hours => ?), make_interval(days => ?), ?, ?)',
      [UNCONNECTED_HOURS, UNUSED_DAYS, page.afterId, page.limit],
    ),
  );
}

export async function deleteUnusedClients(db: Database, ids: readonly string[]): Promise<void> {
  await db.directory.raw(
    'delete_unused_clients',
    'SELECT delete_unused_oauth_clients(make_interval(hours => ?), make_interval(days => ?), ?::text[])',
    [UNCONNECTED_HOURS, UNUSED_DAYS, [...ids]],
  );
}

/** Grants that ended or expired long ago. */
export async function findEndedGrants(db: Database, page: Page): Promise<string[]> {
  return idsOf(
    await db.directory.raw(
      'find_ended_grants',
      'SELECT id FROM find_ended_oauth_grants(make_interval(days => ?), ?, ?)',
      [ENDED_GRANT_KEPT_DAYS, page.afterId, page.limit],
    ),
  );
}

export async function deleteEndedGrants(db: Database, ids: readonly string[]): Promise<void> {
  await db.directory.raw(
    'delete_ended_grants',
    'SELECT delete_ended_oauth_grants(make_interval(days => ?), ?::text[])',
    [ENDED_GRANT_KEPT_DAYS, [...ids]],
  );
}

function idsOf({ rows }: { rows: { id: string }[] }): string[] {
  return rows.map(({ id }) => id);
}
