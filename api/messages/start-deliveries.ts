import { queueBehindOthers } from '../../db/in-flight/permits.ts';
import type { Published } from '../../db/messages/accept/accept-messages.ts';
import { paceMessages } from '../../db/messages/changes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { grantNewMessages, type GrantTenant } from '../starts/start-granted.ts';
import { paceMessagesWorkflow, startMessageWorkflow, startMessageWorkflows } from '../starts/message-workflows.ts';

/**
 * As many are started here, so that the first of a batch arrive at once. The others are handed to a workflow: their publisher does
 * not wait for each start.
 */
const STARTED_HERE_MAX = 10;
/** So few at a time that the first has arrived before the last is started. */
const STARTS_AT_ONCE = 3;

/** What starting takes of the API. */
export type StartDependencies = Pick<
  ApiDependencies,
  'db' | 'temporal' | 'taskQueue' | 'eagerStart' | 'pacedStarts' | 'logger'
>;

/**
 * Starts the deliveries of messages that are committed; those with a flow-control key are started as far as it grants them. A
 * start that fails is no reason to refuse what was accepted, nor to leave another: the sweep starts it within two minutes.
 */
export async function startDeliveries(
  deps: StartDependencies,
  caller: GrantTenant,
  published: readonly Published[],
): Promise<void> {
  const fresh = published.filter((message) => !message.deduplicated);
  const unkeyed = fresh.filter(({ flowControlKeyId }) => flowControlKeyId === null);
  const keyIds = fresh.flatMap(({ flowControlKeyId }) => (flowControlKeyId === null ? [] : [flowControlKeyId]));
  await Promise.all([grantNewMessages(deps, caller, keyIds), startUnkeyed(deps, caller, unkeyed)]);
}

async function startUnkeyed(
  deps: StartDependencies,
  caller: GrantTenant,
  unkeyed: readonly Published[],
): Promise<void> {
  if (unkeyed.length === 0) return;
  const { temporal, eagerStart: eager, taskQueue, pacedStarts } = deps;
  const { workspaceId, environmentId } = caller.tenant;
  const environmentName = caller.environment.name;
  const messageIds = await letQueue(deps, caller, unkeyed);
  const start = (messageId: string): Promise<void> =>
    pacedStarts.start(workspaceId, () =>
      startMessageWorkflow(temporal, { messageId, workspaceId, environmentId }, { environmentName, eager, taskQueue }),
    );
  const here = pacedStarts.isBusy(workspaceId) ? [] : messageIds.slice(0, STARTED_HERE_MAX);
  const elsewhere = [...(await startInRounds(deps, here, start)), ...messageIds.slice(here.length)];
  if (elsewhere.length === 0) return;
  await pacedStarts.handOver('messages', caller.tenant, elsewhere, (handed) =>
    startMessageWorkflows(temporal, { workspaceId, environmentId, messageIds: handed }, environmentName, taskQueue),
  );
}

/**
 * A message that is due queues where others of its workspace do: it has no workflow until it is granted a permit. One that is due later
 * waits under the pacer, where its environment has as many workflows of such as it may have. Returns the others.
 */
async function letQueue(
  deps: StartDependencies,
  caller: GrantTenant,
  unkeyed: readonly Published[],
): Promise<string[]> {
  const idsOf = (messages: readonly Published[]): string[] => messages.map(({ messageId }) => messageId);
  const asking = idsOf(unkeyed.filter(({ queue, status }) => queue === null && status === 'pending'));
  const later = idsOf(unkeyed.filter(({ status }) => status !== 'pending'));
  const starting =
    asking.length === 0 ? [] : await deps.db.oneStatement(caller.tenant, (tx) => queueBehindOthers(tx, asking));
  return [
    ...starting,
    ...idsOf(unkeyed.filter(({ queue, status }) => queue === 'nobody_waits' && status === 'pending')),
    ...(await startPaced(deps, caller, later)),
  ];
}

/** The same as of the activities: neither folder may import the other. A pacer that cannot be told is started by the sweep. */
async function startPaced(
  { db, temporal, taskQueue, logger }: StartDependencies,
  { tenant, environment }: GrantTenant,
  later: readonly string[],
): Promise<string[]> {
  if (later.length === 0) return [];
  const { starting, paces } = await db.oneStatement(tenant, (tx) => paceMessages(tx, later));
  if (paces) {
    await paceMessagesWorkflow(temporal, tenant, { environmentName: environment.name, taskQueue }).catch(
      (error: unknown) => logger.warn({ ...tenant, err: error }, 'the pacer was not started: the sweep starts it'),
    );
  }
  return starting;
}

/**
 * Starts deliveries until one cannot be started. Returns that one and those behind it, for a workflow to start. Throws if it was the only
 * one, because a workflow that starts many would reach Temporal no better.
 */
async function startInRounds(
  { logger }: StartDependencies,
  messageIds: readonly string[],
  start: (messageId: string) => Promise<void>,
): Promise<string[]> {
  // The first alone: starts that are made together take as long as the last of them.
  for (let from = 0, next = 1; from < messageIds.length; from = next, next += STARTS_AT_ONCE) {
    const round = messageIds.slice(from, next);
    const ends = await Promise.allSettled(round.map(start));
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure === undefined) continue;
    if (messageIds.length === 1) throw failure.reason;
    logger.warn(
      { err: failure.reason as unknown },
      'a delivery was not started: a workflow starts it and what follows',
    );
    return [...round.filter((_, at) => ends[at]?.status === 'rejected'), ...messageIds.slice(next)];
  }
  return [];
}
