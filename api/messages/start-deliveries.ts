import { queueBehindOthers } from '../../db/in-flight/queue-deliveries.ts';
import type { Published } from '../../db/messages/accept/accept-messages.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { grantNewMessages } from '../flow-control/start-granted.ts';
import type { Caller } from '../http/define-route.ts';
import { startMessageWorkflow, startMessageWorkflows } from './message-workflows.ts';

/**
 * As many are started here, so that the first of a batch arrive at once. The others are handed to a workflow: their publisher does
 * not wait for each start.
 */
const STARTED_HERE_MAX = 10;
/** So few at a time that the first has arrived before the last is started. */
const STARTS_AT_ONCE = 3;

/**
 * Starts the deliveries of messages that are committed; those with a flow-control key are started as far as it grants them. A
 * start that fails is no reason to refuse what was accepted, nor to leave another: the sweep starts it within two minutes.
 */
export async function startDeliveries(
  deps: ApiDependencies,
  caller: Caller,
  published: readonly Published[],
): Promise<void> {
  const fresh = published.filter((message) => !message.deduplicated);
  const unkeyed = fresh.filter(({ flowControlKeyId }) => flowControlKeyId === null);
  const keyIds = fresh.flatMap(({ flowControlKeyId }) => (flowControlKeyId === null ? [] : [flowControlKeyId]));
  await Promise.all([grantNewMessages(deps, caller, keyIds), startUnkeyed(deps, caller, unkeyed)]);
}

/**
 * A message that is due queues where others of its workspace do: then it has no workflow until it is granted a permit. While many starts
 * of the workspace are under way, a workflow takes it too.
 */
async function startUnkeyed(deps: ApiDependencies, caller: Caller, unkeyed: readonly Published[]): Promise<void> {
  if (unkeyed.length === 0) return;
  const { temporal, eagerStart: eager, taskQueue, pacedStarts } = deps;
  const { workspaceId, environmentId } = caller.tenant;
  const environmentName = caller.environment.name;
  const idsOf = (messages: readonly Published[]): string[] => messages.map(({ messageId }) => messageId);
  const asking = unkeyed.filter(({ queue, status }) => queue === null && status === 'pending');
  const starting =
    asking.length === 0 ? [] : await deps.db.oneStatement(caller.tenant, (tx) => queueBehindOthers(tx, idsOf(asking)));
  const others = unkeyed.filter(({ queue, status }) => queue === 'nobody_waits' || status !== 'pending');
  const messageIds = [...starting, ...idsOf(others)];
  const here = pacedStarts.isBusy(workspaceId) ? [] : messageIds.slice(0, STARTED_HERE_MAX);
  const elsewhere = messageIds.slice(here.length);
  const start = (messageId: string): Promise<void> =>
    pacedStarts.start(workspaceId, () =>
      startMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, eager, taskQueue }),
    );
  // The first alone: starts that are made together take as long as the last of them.
  for (let from = 0, next = 1; from < here.length; from = next, next += STARTS_AT_ONCE) {
    await Promise.all(here.slice(from, next).map(start));
  }
  if (elsewhere.length === 0) return;
  await pacedStarts.handOver(caller.tenant, elsewhere, (handed) =>
    startMessageWorkflows(temporal, { workspaceId, environmentId, messageIds: handed }, environmentName, taskQueue),
  );
}
