import { CHANNELS } from '../notifications/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Wakes, at the commit, the API requests that wait for a decision on this approval. */
export async function announceApproval(tx: EnvironmentTransaction, approvalId: string): Promise<void> {
  await tx.raw('SELECT pg_notify(?, ?)', [CHANNELS.approvalChanged, approvalId]);
}
