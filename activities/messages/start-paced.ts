import type { Tenant } from '../../db/client.ts';
import { paceMessages } from '../../db/messages/changes.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellPatiently } from '../try-again.ts';

/**
 * Starts or tells the pacer of these scheduled messages, if needed, and returns those that have a workflow of their own, for the caller to
 * start. The sweep starts a pacer that could not be told.
 */
export async function startPaced(
  deps: Pick<ActivityDependencies, 'db' | 'paceMessages' | 'logger'>,
  { workspaceId, environmentId }: Tenant,
  messageIds: readonly string[],
): Promise<string[]> {
  if (messageIds.length === 0) return [];
  const tenant = { workspaceId, environmentId };
  const { starting, paces } = await deps.db.oneStatement(tenant, (tx) => paceMessages(tx, messageIds));
  if (paces) {
    try {
      await tellPatiently(() => deps.paceMessages(tenant));
    } catch (error) {
      deps.logger.warn({ ...tenant, err: error }, 'could not start the pacer of an environment: the sweep does');
    }
  }
  return starting;
}
