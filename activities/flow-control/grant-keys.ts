import type { Tenant } from '../../db/client.ts';
import { grantWaiting } from '../../db/flow-control/queue.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { startGranted } from './start-granted.ts';

/** Grants what these keys may send now, and starts it: a transaction for each key. What a crash leaves out the sweep grants. */
export async function grantKeys(
  deps: Pick<ActivityDependencies, 'db' | 'wakeMessage' | 'paceFlowControl' | 'logger'>,
  tenant: Tenant,
  keyIds: readonly string[],
): Promise<void> {
  for (const keyId of new Set(keyIds)) {
    await startGranted(deps, tenant, await deps.db.oneStatement(tenant, (tx) => grantWaiting(tx, keyId)));
  }
}
