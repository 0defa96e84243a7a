import { CHANNELS } from '../announcements/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Wakes, after the commit, the API requests that wait for a decision on this approval. */
export function announceApproval(tx: EnvironmentTransaction, approvalId: string): void {
  tx.announce({ channel: CHANNELS.approvalChanged, payload: approvalId });
}
