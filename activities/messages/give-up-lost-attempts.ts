import type { Tenant } from '../../db/client.ts';
import { type InFlight, lockLostMessages } from '../../db/messages/claims.ts';
import { lanesAreReady } from '../../db/announcements/lanes-ready.ts';
import { type DeliveryDependencies, followUp } from './attempt-settler.ts';
import { unseen } from './send-attempt.ts';
import { settleEnded } from './settle-attempts.ts';

const LOST_ERROR = 'the worker was lost before the end of this attempt was on record';
const LOST_AT_ONCE_MAX = 100;

/**
 * Gives up the attempts of an environment whose leases have ended, but for those that this process has in flight. Their messages are due again,
 * up to three times; then the retry schedule goes on.
 */
export async function giveUpLostAttempts(
  deps: DeliveryDependencies,
  tenant: Tenant,
  inFlight: InFlight,
): Promise<void> {
  const settled = await deps.db.withEnvironment(tenant, async (tx) => {
    const lost = await lockLostMessages(tx, { most: LOST_AT_ONCE_MAX, inFlight });
    if (lost.length === 0) return [];
    lanesAreReady(tx);
    const ended = lost.map((work) => unseen(work, 'abandoned', { error: LOST_ERROR, failure: null }));
    return (await settleEnded(tx, deps, tenant, ended)).settled;
  });
  await followUp(deps, tenant, settled);
}
