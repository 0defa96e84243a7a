import { type InFlightKind, WAITER_LEASE_MS } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Takes an in-flight slot of the workspace, or a position in the queue for one. Returns 0 where the slot is taken, and the
 * position in the queue, from 1, where the workspace has `most` calls of this kind in flight. Call it in the transaction
 * that claims the call.
 */
export async function takePlace(
  tx: EnvironmentTransaction,
  asked: { kind: InFlightKind; holder: string; most: number; leaseMs: number },
): Promise<number> {
  const { rows } = await tx.raw<{ rows: { position: number }[] }>(
    `SELECT take_place(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0), make_interval(secs => :waiterLeaseMs / 1000.0)) AS position`,
    { ...asked, waiterLeaseMs: WAITER_LEASE_MS },
  );
  const [row] = rows;
  if (!row) throw new Error('a function without a table answers one row');
  return row.position;
}
