import type { InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A permit that is asked for. */
export interface WantedPermit {
  kind: InFlightKind;
  /** Identifies the call: one that asks again under the same name keeps its permit, or its position in the queue. */
  holder: string;
  /** How many calls of this kind the workspace may have in flight. */
  most: number;
  /** After this time the permit counts as free, because its holder is presumed dead. */
  leaseMs: number;
}

/**
 * Acquires one of the workspace's permits for a call of this kind, or a position in the queue for one. It never waits. Call it in the
 * transaction that claims the call. It returns
 *
 * - 0: the permit is held, perhaps granted by a release meanwhile;
 * - n ≥ 1: the position in the queue, because the workspace has `most` calls in flight;
 * - null: another transaction of the workspace is asking at this moment. Nothing was written; ask again in a new transaction.
 */
export async function acquirePermit(tx: EnvironmentTransaction, wanted: WantedPermit): Promise<number | null> {
  const { rows } = await tx.raw<{ rows: { position: number | null }[] }>(
    `SELECT acquire_permit(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0)) AS position`,
    { ...wanted },
  );
  const [row] = rows;
  if (!row) throw new Error('a function without a table answers one row');
  return row.position;
}
