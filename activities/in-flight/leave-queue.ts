import { releasePlace } from '../../db/in-flight/places.ts';
import type { Tenant } from '../../db/client.ts';
import type { ActivityDependencies, TellDependency } from '../dependencies.ts';
import { tellNext } from './tell-next.ts';

/** A waiter that no longer wants its place for a read leaves the queue, so that nobody waits behind it. Idempotent. */
export function leaveQueue(deps: Pick<ActivityDependencies, 'db' | 'logger' | TellDependency>) {
  return async ({ workspaceId, environmentId }: Tenant, holder: string): Promise<void> => {
    const tenant = { workspaceId, environmentId };
    const released = { kind: 'provider_read', holder, most: deps.inFlightCaps.provider_read } as const;
    const next = await deps.db.oneStatement(tenant, (tx) => releasePlace(tx, released));
    await tellNext(deps, 'provider_read', next);
  };
}
