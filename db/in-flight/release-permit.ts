import type { InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Releases a permit, or the position in the queue for one, in the transaction that records the end of its call. Returns the
 * next holder in the workspace's queue, to be signalled after the commit; null where nothing waits. Idempotent.
 */
export async function releasePermit(
  tx: EnvironmentTransaction,
  kind: InFlightKind,
  holder: string,
): Promise<string | null> {
  const { rows } = await tx.raw<{ rows: { next: string | null }[] }>('SELECT release_permit(?, ?) AS next', [
    kind,
    holder,
  ]);
  return rows[0]?.next ?? null;
}
