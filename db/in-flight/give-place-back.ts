import type { InFlightKind } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Gives a place in flight back, in the transaction that records the end of its call. Answers who is next in the line of the
 * workspace, to be told after the commit; null where nobody waits. Idempotent.
 */
export async function givePlaceBack(
  tx: EnvironmentTransaction,
  kind: InFlightKind,
  holder: string,
): Promise<string | null> {
  const { rows } = await tx.raw<{ rows: { next: string | null }[] }>('SELECT give_place_back(?, ?) AS next', [
    kind,
    holder,
  ]);
  return rows[0]?.next ?? null;
}
