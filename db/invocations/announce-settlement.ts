import { CHANNELS } from '../announcements/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Wakes, after the commit, the API request that waits for this invocation. */
export function announceSettlement(tx: EnvironmentTransaction, invocationId: string): void {
  tx.announce({ channel: CHANNELS.invocationSettled, payload: invocationId });
}
