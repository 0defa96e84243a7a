import { type Grant, GRANTS_AT_ONCE, PARALLELISM_MAX, SLOT_LEASE_MS } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A grant as the functions of the database answer it. */
export interface GrantRow {
  granted: string[];
  paces: boolean;
  nextInMs: number | null;
}

/**
 * Grants the messages that a key may send now, in order. It waits for the key's lock, and holds it until the commit: two grants at once
 * would both see the last free slot, and a look without the lock could miss the slot that another transaction is releasing. `by` is the
 * process that starts the granted messages. Only the pacer postpones or clears the time of the next look.
 */
export async function grantWaiting(
  tx: EnvironmentTransaction,
  keyId: string,
  by: keyof typeof GRANTS_AT_ONCE = 'finish',
): Promise<Grant> {
  const { rows } = await tx.raw<{ rows: GrantRow[] }>(
    `SELECT granted, paces, next_in_ms AS "nextInMs"
     FROM grant_flow_control(:keyId, :most, :inFlightMax, :leaseMs * interval '1 millisecond', :isPacer)`,
    { keyId, most: GRANTS_AT_ONCE[by], inFlightMax: PARALLELISM_MAX, leaseMs: SLOT_LEASE_MS, isPacer: by === 'pacer' },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a grant answers one row');
  const { granted: messageIds, paces, nextInMs } = row;
  return { keyId, messageIds, paces, nextInMs };
}
