import { inBatches } from '../../domain/batches-of.ts';
import { queueDeliveries } from '../../db/in-flight/permits.ts';
import { findDueMessages, handOverPaced, splitByDueTime } from '../../db/messages/changes.ts';
import { listHeldMessages } from '../../db/messages/queries.ts';
import type { Tenant } from '../../db/client.ts';
import { isWithoutPermit } from '../../domain/in-flight.ts';
import type { WokenPage } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { Progress } from '../progress.ts';
import { startPaced } from './start-paced.ts';

const PAGE_SIZE = 1_000;
const STARTS_AT_ONCE = 10;
const fromTheBeginning = (): Progress => new Progress();

/**
 * Puts one page of the messages that the environment's halt has held into the queue for permits, in order, and starts the first of them.
 * They are due, and have no workflow.
 */
export function wakeHeldMessages(deps: StartsInTurn, progress = fromTheBeginning) {
  return async (tenant: Tenant, afterId: string): Promise<WokenPage> => {
    const ids = await deps.db.withEnvironment(tenant, (tx) => listHeldMessages(tx, afterId, PAGE_SIZE));
    await startAllInTurn(deps, tenant, ids, progress());
    return { woken: ids.length, afterId: ids.length < PAGE_SIZE ? null : (ids.at(-1) ?? null) };
  };
}

/** What starts many messages. */
export type StartsInTurn = Pick<ActivityDependencies, 'db' | 'beginMessage' | 'inFlightCaps' | 'permitTakers'>;

/**
 * Starts many messages (`startAllInTurn`). One that is not due does not queue: its workflow waits for its time, or the pacer of its
 * environment does.
 */
export function startInTurn(
  deps: StartsInTurn & Pick<ActivityDependencies, 'paceMessages' | 'logger'>,
  progress = fromTheBeginning,
) {
  return async ({ workspaceId, environmentId }: Tenant, messageIds: string[]): Promise<void> => {
    const tenant = { workspaceId, environmentId };
    const done = progress();
    const { due, later } = await deps.db.oneStatement(tenant, (tx) => splitByDueTime(tx, messageIds));
    await startAllInTurn(deps, tenant, due, done);
    await begin(deps, tenant, await startPaced(deps, tenant, later), done);
  };
}

/**
 * The look of an environment's pacer: lets a page of the messages that are due queue as `startAllInTurn` does, and takes them from the
 * pacer. Returns the milliseconds until the next is due, or null where none waits. A crash in between leaves them under the pacer, whose
 * next look does nothing to what queues or runs.
 */
export function startDueMessages(deps: StartsInTurn, progress = fromTheBeginning) {
  return async ({ workspaceId, environmentId }: Tenant): Promise<number | null> => {
    const tenant = { workspaceId, environmentId };
    const { due, nextInMs } = await deps.db.oneStatement(tenant, (tx) => findDueMessages(tx, PAGE_SIZE));
    if (due.length === 0) return nextInMs;
    await startAllInTurn(deps, tenant, due, progress());
    await deps.db.oneStatement(tenant, (tx) => handOverPaced(tx, due));
    return 0;
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
  progress = fromTheBeginning(),
): Promise<void> {
  if (messageIds.length === 0) return;
  const tenant = { workspaceId, environmentId };
  const most = deps.inFlightCaps.delivery;
  const taker = { workspaceId, kind: 'delivery', holder: `batch/${messageIds[0]}`, most } as const;
  const starting = await deps.permitTakers.inTurn(taker, () =>
    deps.db.oneStatement(tenant, (tx) => queueDeliveries(tx, messageIds, most)),
  );
  if (isWithoutPermit(starting)) throw new Error('others of the workspace asked for permits all the time');
  await begin(deps, tenant, starting, progress);
}

/** Goes on behind what an earlier try has begun. */
async function begin(
  deps: Pick<StartsInTurn, 'beginMessage'>,
  tenant: Tenant,
  messageIds: readonly string[],
  progress: Progress,
): Promise<void> {
  await inBatches(progress.left(messageIds), STARTS_AT_ONCE, async (messageId) => {
    await deps.beginMessage({ messageId, ...tenant });
    progress.note(messageId);
  });
}
