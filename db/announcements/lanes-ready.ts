import type { Announcement } from './announcer.ts';
import { CHANNELS } from './notification-listener.ts';

interface Tenant {
  workspaceId: string;
  environmentId: string;
}

/** What a transaction of an environment has of it. */
interface Announcing {
  readonly tenant: Tenant;
  announce(announcement: Announcement): void;
}

/** After the commit the claimers look at the lanes of this environment: a message may have become due, or a limit wider. */
export function lanesAreReady(tx: Announcing): void {
  const { workspaceId, environmentId } = tx.tenant;
  tx.announce({ channel: CHANNELS.lanesReady, payload: `${workspaceId}/${environmentId}` });
}

/** The tenant of such an announcement. */
export function tenantOfLanes(payload: string): Tenant {
  const [workspaceId = '', environmentId = ''] = payload.split('/');
  return { workspaceId, environmentId };
}

/** Tells the claimer of this process of ready lanes, which spares a notification by the database. Without a claimer it hears nothing. */
export class LaneBell {
  #ring: ((tenant: Tenant) => boolean) | null = null;

  /** `ring` returns false where its claimer cannot claim now: others are notified then. */
  answerWith(ring: (tenant: Tenant) => boolean): void {
    this.#ring = ring;
  }

  readonly hears = ({ channel, payload }: Announcement): boolean => {
    return channel === CHANNELS.lanesReady && this.#ring?.(tenantOfLanes(payload)) === true;
  };
}
