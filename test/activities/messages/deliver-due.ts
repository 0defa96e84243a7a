import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { AttemptSettler } from '../../../activities/messages/attempt-settler.ts';
import { readSigners, sendDelivery } from '../../../activities/messages/claimed-deliveries.ts';
import type { Tenant } from '../../../db/client.ts';
import { claimMessages } from '../../../db/messages/claims.ts';
import { readSealedSigningKeys } from '../../../db/signing-keys/signing-keys.ts';

const CLAIM = { most: 100, share: 1_000, claim: 'test', worker: 'test', leaseMs: 60_000, afterLane: '' } as const;

/** Claims what is due in an environment, once, and makes those attempts to the end, as the claimer of a worker does. */
export async function deliverDue(deps: ActivityDependencies, tenant: Tenant): Promise<void> {
  const { works, keys } = await deps.db.withEnvironment(tenant, async (tx) => ({
    works: (await claimMessages(tx, CLAIM)).works,
    keys: await readSealedSigningKeys(tx),
  }));
  const signersOf = await readSigners(deps, tenant, works, keys);
  const settler = new AttemptSettler(deps);
  await Promise.all(
    works.map(async (work) => settler.settle(tenant, await sendDelivery(deps, tenant, work, signersOf(work)))),
  );
  await settler.drained();
}
