import { inBatches } from '../../domain/batches-of.ts';
import { queueDeliveries } from '../../db/in-flight/queue-deliveries.ts';
import { splitByDueTime } from '../../db/messages/split-by-due-time.ts';
import { listHeldMessages } from '../../db/messages/list-held-messages.ts';
import type { Tenant } from '../../db/client.ts';
import { isWithoutPermit } from '../../domain/in-flight.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const PAGE_SIZE = 1_000;
const STARTS_AT_ONCE = 10;

/**
 * Puts one page of the messages that the environment's halt has held into the queue for permits, in order, and starts the first of them.
 * They are due, and have no workflow.
 */
export function wakeHeldMessages(deps: StartsInTurn) {
  return async (tenant: Tenant, afterId: string): Promise<WokenPage> => {
    const ids = await deps.db.withEnvironment(tenant, (tx) => listHeldMessages(tx, afterId, PAGE_SIZE));
    await startAllInTurn(deps, tenant, ids);
    return { woken: ids.length, afterId: ids.length < PAGE_SIZE ? null : (ids.at(-1) ?? null) };
  };
}

/** What starts many messages. */
export type StartsInTurn = Pick<ActivityDependencies, 'db' | 'beginMessage' | 'inFlightCaps' | 'permitTakers'>;

/** Starts many messages (`startAllInTurn`). One that is not due does not queue: its workflow waits for its time. */
export function startInTurn(deps: StartsInTurn) {
  return async (tenant: Tenant, messageIds: string[]): Promise<void> => {
    const { due, later } = await deps.db.oneStatement(tenant, (tx) => splitByDueTime(tx, messageIds));
    await startAllInTurn(deps, tenant, due);
    await inBatches(later, STARTS_AT_ONCE, (messageId) => deps.beginMessage({ ...tenant, messageId }));
  };
}

/**
 * Starts as many of these messages, which are due, as their workspace has permits for. The others wait in the queue without a workflow,
 * and are started as permits are released. It may run again: a message that queues or runs is not affected.
 */
export async function startAllInTurn(
  deps: StartsInTurn,
  { workspaceId, environmentId }: Tenant,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  const tenant = { workspaceId, environmentId };
  const most = deps.inFlightCaps.delivery;
  const taker = { workspaceId, kind: 'delivery', holder: `batch/${messageIds[0]}`, most } as const;
  const starting = await deps.permitTakers.inTurn(taker, () =>
    deps.db.oneStatement(tenant, (tx) => queueDeliveries(tx, messageIds, most)),
  );
  if (isWithoutPermit(starting)) throw new Error('others of the workspace asked for permits all the time');
  await inBatches(starting, STARTS_AT_ONCE, (messageId) => deps.beginMessage({ messageId, ...tenant }));
}
