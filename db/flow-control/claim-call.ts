import type { EnvironmentTransaction } from '../client.ts';

/** Whether a message is granted: false while it waits, and where it is in no queue. */
export async function isGranted(tx: EnvironmentTransaction, messageId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'SELECT FROM flow_control_queue WHERE message_id = ? AND granted_at IS NOT NULL',
    [messageId],
  );
  return rows.length > 0;
}

/**
 * Claims the call of a granted message, which counts from now on; call it in the transaction that starts the attempt. False: it
 * is not to be sent now, and is to be returned to its queue.
 */
export async function claimCall(tx: EnvironmentTransaction, messageId: string, leaseMs: number): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { claimed: boolean }[] }>(
    `SELECT claim_flow_control(?, ? * interval '1 millisecond') AS claimed`,
    [messageId, leaseMs],
  );
  return rows[0]?.claimed === true;
}

/** Keeps the slot of a granted message that waits for a permit of its workspace. */
export async function keepSlot(tx: EnvironmentTransaction, messageId: string, leaseMs: number): Promise<void> {
  await tx.raw(
    `UPDATE flow_control_queue SET lease_until = GREATEST(lease_until, clock_timestamp() + ? * interval '1 millisecond')
     WHERE message_id = ? AND granted_at IS NOT NULL AND dispatched_at IS NULL`,
    [leaseMs, messageId],
  );
}
