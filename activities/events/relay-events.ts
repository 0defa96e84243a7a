import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import {
  deleteRaisedEvents,
  findRaisedEvents,
  lockRaisedEvents,
  putOffRaisedEvent,
} from '../../db/events/raised-events.ts';
import { type Repeated, repeatUntilStopped } from '../repeat-until-stopped.ts';
import { notifyMembers } from '../notifications/notify-members.ts';
import { publishToService } from './publish-to-service.ts';
import type { Consumer, RelayDependencies } from './relay-consumer.ts';

const INTERVAL_MS = 500;
/** Events of one transaction. */
const PAGE_SIZE = 100;
/** Events of the outbox that one look takes into account. */
const LOOK_SIZE = 1_000;

const CONSUMERS: readonly Consumer[] = [publishToService, notifyMembers];

/**
 * Until stopped, takes platform events out of the outbox and hands them on. Every worker process does it. Two at once do no harm: each
 * locks the rows that it takes. A crash before the commit leaves the rows, and after it the events, which the sweep fans out.
 */
export function keepRelaying(
  deps: RelayDependencies,
  { intervalMs = INTERVAL_MS }: { intervalMs?: number } = {},
): Repeated {
  const failed = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'could not relay platform events: trying again');
  return repeatUntilStopped((signal) => relayEvents(deps, signal), { intervalMs, failed });
}

/** Relays what is in the outbox now. Once stopped it ends after the page at hand: what is left stays in the outbox. */
export async function relayEvents(deps: RelayDependencies, signal?: AbortSignal): Promise<void> {
  for (const tenant of await findRaisedEvents(deps.db, LOOK_SIZE)) {
    for (let taken = PAGE_SIZE; taken === PAGE_SIZE;) {
      if (signal?.aborted === true) return;
      taken = await relayPage(deps, tenant, PAGE_SIZE);
    }
  }
}

/** Returns how many were relayed. Where a page fails, each of its events is tried alone, so that one holds up no other. */
async function relayPage(deps: RelayDependencies, tenant: Tenant, size: number): Promise<number> {
  try {
    const { relayed, follow } = await deps.db.withEnvironment(tenant, (tx) => take(tx, tenant, size, deps));
    for (const next of follow) await next(deps);
    return relayed;
  } catch (error) {
    if (size === 1) {
      deps.logger.error({ ...tenant, err: error }, 'a platform event could not be relayed: trying again in a minute');
      await deps.db.withEnvironment(tenant, (tx) => putOffRaisedEvent(tx));
      return 1;
    }
    let relayed = 0;
    while (relayed < size && (await relayPage(deps, tenant, 1)) === 1) relayed++;
    return relayed;
  }
}

async function take(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  size: number,
  deps: RelayDependencies,
): Promise<{ relayed: number; follow: ((deps: RelayDependencies) => Promise<void>)[] }> {
  const events = await lockRaisedEvents(tx, size);
  const follow = [];
  if (events.length > 0) {
    for (const consume of CONSUMERS) follow.push(await consume(tx, tenant, events, deps));
    await deleteRaisedEvents(tx, events);
  }
  return { relayed: events.length, follow };
}
