import { GRANT_LEASE_MS, type Granted, type InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A place that is asked for. */
export interface WantedPlace {
  kind: InFlightKind;
  /** Identifies the call: one that asks again under the same name keeps its place, or its position in the queue. */
  holder: string;
  /** How many calls of this kind the workspace may have in flight. */
  most: number;
  /** After this time the place counts as free, because its holder is presumed dead. */
  leaseMs: number;
}

/**
 * Acquires one of the workspace's places for a call of this kind, or a position in the queue for one. It never waits. Call it in the
 * transaction that claims the call. It returns
 *
 * - 0: the place is held, perhaps granted by a release meanwhile;
 * - n ≥ 1: the position in the queue, because the workspace has `most` calls in flight;
 * - null: another transaction of the workspace is asking at this moment. Nothing was written; ask again in a new transaction.
 */
export async function takePlace(tx: EnvironmentTransaction, wanted: WantedPlace): Promise<number | null> {
  const { rows } = await tx.raw<{ rows: { position: number | null }[] }>(
    'take_place',
    `SELECT take_place(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0)) AS position`,
    { ...wanted },
  );
  const [row] = rows;
  if (!row) throw new Error('a function without a table answers one row');
  return row.position;
}

export interface ReleasedPlace {
  kind: InFlightKind;
  holder: string;
  /** How many calls of this kind the workspace may have in flight. */
  most: number;
  /** Releases nothing that its holder has claimed since it was granted. */
  isGrant?: boolean;
}

/**
 * Releases a place, or the position in the queue for one, in the transaction that records the end of its call. The place goes to the
 * next holder in the workspace's queue, which is returned, to be told after the commit; null if nobody waits, or none became free.
 * Idempotent.
 */
export async function releasePlace(
  tx: EnvironmentTransaction,
  { kind, holder, most, isGrant = false }: ReleasedPlace,
): Promise<Granted | null> {
  const { rows } = await tx.raw<{ rows: Granted[] }>(
    'release_place',
    `SELECT to_workspace AS "workspaceId", to_environment AS "environmentId", to_holder AS holder
     FROM release_place(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0), :isGrant)`,
    { kind, holder, most, leaseMs: GRANT_LEASE_MS, isGrant },
  );
  return rows[0] ?? null;
}

/** Takes back one lapse of a holder that could not be told of its grant, before or after that grant lapses. */
export async function discountUntoldGrant(
  tx: EnvironmentTransaction,
  { kind, holder }: { kind: InFlightKind; holder: string },
): Promise<void> {
  await tx.raw('discount_untold_grant', 'SELECT discount_untold_grant(:kind, :holder)', { kind, holder });
}
