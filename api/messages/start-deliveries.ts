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
  const here = messageIds.slice(0, STARTED_HERE_MAX);
  const others = { workspaceId, environmentId, messageIds: messageIds.slice(STARTED_HERE_MAX) };
  await Promise.all([
    ...here.map((messageId) =>
      startMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, eager, taskQueue }),
    ),
    others.messageIds.length === 0 ? null : startMessageWorkflows(temporal, others, environmentName, taskQueue),
  ]);
}
