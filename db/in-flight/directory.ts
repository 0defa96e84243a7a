import {
  GRANT_LEASE_MS,
  type Granted,
  type InFlightCaps,
  type InFlightKind,
  UNCLAIMED_GRANTS_MAX,
} from '../../domain/in-flight.ts';
import type { Database } from '../client.ts';

/**
 * Grants the free places of every workspace in which a call waits, and returns the holders that were granted one, to be told. A grant
 * that was not claimed in time goes back into the queue, and is granted and told again.
 */
export async function grantFreePlaces(db: Database, caps: InFlightCaps): Promise<(Granted & { kind: InFlightKind })[]> {
  const { rows } = await db.directory.raw<{ rows: (Granted & { kind: InFlightKind })[] }>(
    'grant_free_places',
    `SELECT of_kind AS kind, to_workspace AS "workspaceId", to_environment AS "environmentId", to_holder AS holder
     FROM grant_free_places(:caps, make_interval(secs => :leaseMs / 1000.0), :unclaimedMax)`,
    { caps: JSON.stringify(caps), leaseMs: GRANT_LEASE_MS, unclaimedMax: UNCLAIMED_GRANTS_MAX },
  );
  return rows;
}

/**
 * Places, of all environments, whose holder died or no longer waits, as `<environment>/<kind>/<holder>` and in this order.
 */
export async function findExpiredPlaces(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'find_expired_places',
    'SELECT id FROM find_expired_places(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these places, unless they were acquired again meanwhile. Returns how many. */
export async function deleteExpiredPlaces(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_expired_places',
    'SELECT delete_expired_places(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
