import { findWaitingFiring } from '../../db/schedules/firings.ts';
import type { Tenant } from '../../db/client.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/**
 * Starts the run of a schedule that waits for a message to end, if there is one. A failure is no reason to repeat the message's last
 * step: the sweep finds the run within two minutes.
 */
export async function startWaitingFiring(
  deps: Pick<ActivityDependencies, 'db' | 'startFiring' | 'logger'>,
  { workspaceId, environmentId }: Tenant,
  scheduleId: string,
): Promise<void> {
  const tenant = { workspaceId, environmentId };
  try {
    const nominalAt = await deps.db.oneStatement(tenant, (tx) => findWaitingFiring(tx, scheduleId));
    if (nominalAt === null) return;
    await deps.startFiring({ ...tenant, scheduleId, trigger: 'schedule', nominalAt: nominalAt.toISOString() });
  } catch (error) {
    deps.logger.warn({ ...tenant, scheduleId, err: error }, 'could not start the run that waits: the sweep will');
  }
}
