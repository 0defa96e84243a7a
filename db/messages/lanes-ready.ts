import { CHANNELS } from '../announcements/notification-listener.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';

/** After the commit, the claimers look at the lanes of this environment: a message may have become due, or a limit wider. */
export function lanesAreReady(tx: EnvironmentTransaction): void {
  const { workspaceId, environmentId } = tx.tenant;
  tx.announce({ channel: CHANNELS.lanesReady, payload: `${workspaceId}/${environmentId}` });
}

/** The tenant of such an announcement. */
export function tenantOfLanes(payload: string): Tenant {
  const [workspaceId = '', environmentId = ''] = payload.split('/');
  return { workspaceId, environmentId };
}
