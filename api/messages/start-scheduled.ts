import type { Published } from '../../db/messages/accept/accept-messages.ts';
import type { Tenant } from '../../db/client.ts';
import { paceMessages } from '../../db/messages/pacing.ts';
import { inBatches } from '../../domain/batches-of.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { paceMessagesWorkflow, wakeMessageWorkflow } from '../starts/message-workflows.ts';

const STARTS_AT_ONCE = 10;

/** What starting takes of the API. */
export type StartDependencies = Pick<ApiDependencies, 'db' | 'temporal' | 'taskQueue'>;

/**
 * Starts what keeps the time of messages that are committed and due later: the workflows of the first, and the pacer of the others. What is
 * due now is claimed. A start that fails is no reason to refuse what was accepted: a claimer takes the message half a minute after its time.
 * The activities have the same: neither folder may import the other.
 */
export async function startScheduled(
  { db, temporal, taskQueue }: StartDependencies,
  { tenant, environment }: { tenant: Tenant; environment: { name: string } },
  published: readonly Published[],
): Promise<void> {
  const later = published.filter(({ deduplicated, status }) => !deduplicated && status === 'scheduled');
  if (later.length === 0) return;
  const ids = later.map(({ messageId }) => messageId);
  const { starting, paces } = await db.oneStatement(tenant, (tx) => paceMessages(tx, ids));
  const { workspaceId, environmentId } = tenant;
  const started = { environmentName: environment.name, taskQueue };
  if (paces) await paceMessagesWorkflow(temporal, { workspaceId, environmentId }, started);
  await inBatches(starting, STARTS_AT_ONCE, (messageId) =>
    wakeMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, started),
  );
}
