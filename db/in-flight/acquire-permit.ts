import type { InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A permit that is asked for. */
export interface WantedPermit {
  kind: InFlightKind;
  /** Identifies the call: who asks again under the same name keeps its permit, or its position in the queue. */
  holder: string;
  /** How many calls of this kind the workspace may have in flight. */
  most: number;
  /** After this time it counts as free, because its holder is taken for dead. */
  leaseMs: number;
}

/**
 * Acquires one of the workspace's permits for a call of this kind, or a position in the queue for one. Returns 0 where the
 * permit is held, also where a release granted it meanwhile, the position from 1 where the workspace has `most` calls in flight, and null
 * where another transaction of the workspace is asking at this moment: then nothing was written, and the caller asks again in a new
 * transaction. It never waits. Call it in the transaction that claims the call.
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
