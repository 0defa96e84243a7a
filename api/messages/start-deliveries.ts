import type { Published } from '../../db/messages/accept/accept-messages.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { grantNewMessages } from '../flow-control/start-granted.ts';
import type { Caller } from '../http/define-route.ts';
import { startMessageWorkflow, startMessageWorkflows } from './message-workflows.ts';

/** More than this are handed to a workflow: their publisher does not wait for each start. */
const STARTED_HERE_MAX = 10;

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
  const messageIds = fresh.flatMap((message) => (message.flowControlKeyId === null ? [message.messageId] : []));
  const keyIds = fresh.flatMap(({ flowControlKeyId }) => (flowControlKeyId === null ? [] : [flowControlKeyId]));
  await Promise.all([grantNewMessages(deps, caller, keyIds), startUnkeyed(deps, caller, messageIds)]);
}

async function startUnkeyed(deps: ApiDependencies, caller: Caller, messageIds: string[]): Promise<void> {
  const { temporal, eagerStart: eager, taskQueue } = deps;
  const { workspaceId, environmentId } = caller.tenant;
  const environmentName = caller.environment.name;
  if (messageIds.length > STARTED_HERE_MAX) {
    await startMessageWorkflows(temporal, { workspaceId, environmentId, messageIds }, environmentName, taskQueue);
    return;
  }
  await Promise.all(
    messageIds.map((messageId) =>
      startMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, eager, taskQueue }),
    ),
  );
}
