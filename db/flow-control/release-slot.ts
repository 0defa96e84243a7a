import { type Grant, GRANTS_AT_ONCE, PARALLELISM_MAX, SLOT_LEASE_MS } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { GrantRow } from './grant-waiting.ts';

/** Why a message gives back what it holds of its key. */
export type Release =
  /** It was delivered, failed or cancelled: it leaves the queue. */
  | { how: 'ended'; holdMs?: number }
  /** It waits for its next attempt. */
  | { how: 'retried'; againInMs: number; holdMs?: number }
  /** Nothing was sent: it waits again where it was. */
  | { how: 'returned' };

/**
 * Releases what a message holds of its flow-control key and grants the next ones, in the transaction that records why. `holdMs`:
 * the destination asked that the key sends nothing for so long. Null where the message is in no queue. Idempotent.
 */
export async function releaseSlot(
  tx: EnvironmentTransaction,
  messageId: string,
  release: Release,
): Promise<Grant | null> {
  const { rows } = await tx.raw<{ rows: (GrantRow & { keyId: string })[] }>(
    `SELECT key_id AS "keyId", granted, paces, next_in_ms AS "nextInMs"
     FROM release_flow_control(:messageId, :how, :againInMs * interval '1 millisecond', :holdMs * interval '1 millisecond', :most,
       :inFlightMax, :leaseMs * interval '1 millisecond')`,
    {
      messageId,
      how: release.how,
      againInMs: release.how === 'retried' ? release.againInMs : null,
      holdMs: release.how === 'returned' ? null : (release.holdMs ?? null),
      most: GRANTS_AT_ONCE.finish,
      inFlightMax: PARALLELISM_MAX,
      leaseMs: SLOT_LEASE_MS,
    },
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { keyId, granted: messageIds, paces, nextInMs } = row;
  return { keyId, messageIds, paces, nextInMs };
}
