import { CHANNELS } from '../notifications/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Wakes, at the commit, the API request that waits for this invocation. */
export async function announceSettlement(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw('SELECT pg_notify(?, ?)', [CHANNELS.invocationSettled, invocationId]);
}
