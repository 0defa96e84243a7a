import { inBatches } from '../../domain/batches-of.ts';
import type { Tenant } from '../../db/client.ts';
import type { Grant } from '../../domain/flow-control/flow-control.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { tellPatiently } from '../try-again.ts';

const STARTS_AT_ONCE = 10;

/**
 * Starts the workflows of granted messages and, if needed, the pacer of their key; after the commit. The sweep repairs a failed start, so
 * a failure here does not fail an end that is on record.
 */
export async function startGranted(
  deps: Pick<ActivityDependencies, 'wakeMessage' | 'paceFlowControl' | 'logger'>,
  { workspaceId, environmentId }: Tenant,
  grant: Grant | null,
): Promise<void> {
  if (grant === null) return;
  const { keyId, messageIds } = grant;
  const unlessAway = async (what: { keyId: string; messageId?: string }, start: () => Promise<void>): Promise<void> => {
    try {
      await tellPatiently(start);
    } catch (error) {
      deps.logger.warn({ ...what, err: error }, 'could not start what a flow-control key has granted: the sweep does');
    }
  };
  if (grant.paces) await unlessAway({ keyId }, () => deps.paceFlowControl({ keyId, workspaceId, environmentId }));
  await inBatches(messageIds, STARTS_AT_ONCE, (messageId) =>
    unlessAway({ keyId, messageId }, () => deps.wakeMessage({ messageId, workspaceId, environmentId })),
  );
}
