import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { takePlace } from '../../db/in-flight/places.ts';
import { type NoPlace, placeLeaseMs } from '../../domain/in-flight.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { Queued } from '../lane-takers.ts';

/** A read at a provider that wants a place. */
export interface WantedRead {
  /** The name of this one read. Another read of the same record, which may still be in flight, has its own place. */
  holder: string;
  /** The longest time that the read takes, with its tries. */
  timeoutMs: number;
}

interface ReadBegin<T> {
  /** Locks what the end of the read locks before it releases the place; the same order excludes a deadlock. */
  lock?: (tx: EnvironmentTransaction) => Promise<void>;
  begin: (tx: EnvironmentTransaction) => Promise<T>;
}

/**
 * Acquires a place for a read at a provider and runs `begin` in the same transaction. The transaction that records the end of
 * the read releases the place. A read that is run again after a crash finds its own place; one that nobody runs again leaves
 * it to its lease.
 */
export async function readInTurn<T extends object>(
  deps: Pick<ActivityDependencies, 'db' | 'inFlightCaps' | 'laneTakers'>,
  tenant: Tenant,
  { holder, timeoutMs }: WantedRead,
  { lock, begin }: ReadBegin<T>,
): Promise<T | NoPlace> {
  const kind = 'provider_read';
  const wanted = { kind, holder, most: deps.inFlightCaps.provider_read, leaseMs: placeLeaseMs(timeoutMs) } as const;
  return deps.laneTakers.inTurn({ workspaceId: tenant.workspaceId, ...wanted }, () =>
    deps.db.withEnvironment(tenant, async (tx): Promise<T | Queued | null> => {
      const [, position] = await tx.inOrder(lock === undefined ? null : () => lock(tx), () => takePlace(tx, wanted));
      if (position === null) return null;
      return position > 0 ? new Queued(position) : begin(tx);
    }),
  );
}
