import type { Tenant } from '../../db/client.ts';
import { paceMessages } from '../../db/messages/pacing.ts';
import { inBatches } from '../../domain/batches-of.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellPatiently } from '../try-again.ts';

const STARTS_AT_ONCE = 10;

/**
 * Starts the workflows of those of these messages that are due later and have one, and the pacer of the others. Where Temporal cannot be
 * reached, the claimers deliver them half a minute after their time.
 */
export async function startScheduled(
  deps: Pick<ActivityDependencies, 'db' | 'paceMessages' | 'wakeMessage' | 'logger'>,
  { workspaceId, environmentId }: Tenant,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  const tenant = { workspaceId, environmentId };
  const { starting, paces } = await deps.db.oneStatement(tenant, (tx) => paceMessages(tx, messageIds));
  const start = async (what: object, begin: () => Promise<void>): Promise<void> => {
    try {
      await tellPatiently(begin);
    } catch (error) {
      deps.logger.warn({ ...tenant, ...what, err: error }, 'what keeps the time of scheduled messages was not started');
    }
  };
  if (paces) await start({}, () => deps.paceMessages(tenant));
  await inBatches(starting, STARTS_AT_ONCE, (messageId) =>
    start({ messageId }, () => deps.wakeMessage({ messageId, ...tenant })),
  );
}
