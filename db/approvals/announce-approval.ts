import { CHANNELS } from '../notifications/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Wakes the API requests that wait for a decision, once this transaction commits. */
export async function announceApproval(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  await tx.raw('SELECT pg_notify(?, ?)', [CHANNELS.approvalChanged, approvalId]);
}
