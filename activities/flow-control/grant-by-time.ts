import type { Tenant } from '../../db/client.ts';
import { listWaitingKeys } from '../../db/flow-control/directory.ts';
import { grantWaiting } from '../../db/flow-control/queue.ts';
import type { FlowControlKeyRef } from '../../domain/flow-control/flow-control.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { grantKeys } from './grant-keys.ts';
import { startGranted } from './start-granted.ts';

type Needs = Pick<ActivityDependencies, 'db' | 'wakeMessage' | 'paceFlowControl' | 'logger'>;

/** The pacer's look. Returns the milliseconds until the next one, or null where no time has to be waited for. */
export function grantByTime(deps: Needs) {
  return async ({ keyId, workspaceId, environmentId }: FlowControlKeyRef): Promise<number | null> => {
    const tenant = { workspaceId, environmentId };
    const grant = await deps.db.oneStatement(tenant, (tx) => grantWaiting(tx, keyId, 'pacer'));
    await startGranted(deps, tenant, grant);
    return grant.nextInMs;
  };
}

const PAGE_SIZE = 100;

/** Grants for one page of the environment's keys with waiting messages, after its halt. Returns where the next page begins. */
export function grantAfterHalt(deps: Needs) {
  return async ({ workspaceId, environmentId }: Tenant, afterId: string): Promise<string | null> => {
    const tenant = { workspaceId, environmentId };
    const keyIds = await deps.db.withEnvironment(tenant, (tx) => listWaitingKeys(tx, afterId, PAGE_SIZE));
    await grantKeys(deps, tenant, keyIds);
    return keyIds.length < PAGE_SIZE ? null : (keyIds.at(-1) ?? null);
  };
}
