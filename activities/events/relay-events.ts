import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import {
  deleteRaisedEvents,
  findRaisedEvents,
  lockRaisedEvents,
  putOffRaisedEvent,
} from '../../db/events/directory.ts';
import { type RepeatOptions, repeatUntilStopped, type Woken } from '../repeat-until-stopped.ts';
import { notifyMembers } from '../notifications/notify-members.ts';
import { publishToService } from './publish-to-service.ts';
import type { Consumer, FollowUp, RelayDependencies } from '../relay-consumer.ts';
import { startFollowUps } from './start-follow-ups.ts';

/** Rarer while nothing comes. */
const INTERVAL_MS = { min: 500, max: 2_000 };
/** For a relay that is woken. */
export const WOKEN_INTERVAL_MS = { min: 500, max: 4_000 };
/** Events of one transaction. */
const PAGE_SIZE = 100;
/** Environments of one look. */
const LOOK_SIZE = 1_000;
/** Before every id of an environment. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const CONSUMERS: readonly Consumer[] = [publishToService, notifyMembers];

/**
 * Relays platform events until stopped, in every worker process: each locks the rows that it takes. Wake it when something changed: an
 * event may have been raised.
 */
export function keepRelaying(
  deps: RelayDependencies,
  { intervalMs = INTERVAL_MS }: { intervalMs?: RepeatOptions['intervalMs'] } = {},
): Woken {
  const failed = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'could not relay platform events: trying again');
  return repeatUntilStopped((signal) => relayEvents(deps, signal), { intervalMs, failed });
}

/** Relays the outbox in rounds of a page for each environment. Once stopped, ends after the present page. Returns whether any came. */
export async function relayEvents(deps: RelayDependencies, signal?: AbortSignal): Promise<boolean> {
  let anyCame = false;
  for (let isMoreLeft = true; isMoreLeft;) {
    const round = await relayRound(deps, signal);
    ({ isMoreLeft } = round);
    anyCame ||= round.anyCame;
  }
  return anyCame;
}

/** `isMoreLeft`: an environment may have more than a page. */
async function relayRound(
  deps: RelayDependencies,
  signal?: AbortSignal,
): Promise<{ isMoreLeft: boolean; anyCame: boolean }> {
  let isMoreLeft = false;
  let anyCame = false;
  for (let afterId: string | undefined = FIRST_ID; afterId !== undefined;) {
    const tenants: Tenant[] = await findRaisedEvents(deps.db, { afterId, limit: LOOK_SIZE });
    const followUps: FollowUp[][] = [];
    anyCame ||= tenants.length > 0;
    for (const tenant of tenants) {
      if (signal?.aborted === true) break;
      const page = await relayPage(deps, tenant, PAGE_SIZE);
      followUps.push(page.followUps);
      isMoreLeft ||= page.relayed === PAGE_SIZE;
    }
    await startFollowUps(deps, followUps);
    if (signal?.aborted === true) return { isMoreLeft: false, anyCame };
    afterId = tenants.length < LOOK_SIZE ? undefined : tenants.at(-1)?.environmentId;
  }
  return { isMoreLeft, anyCame };
}

interface RelayedPage {
  /** How many events were taken out of the outbox, or put off. */
  relayed: number;
  followUps: FollowUp[];
}

/** Where a page fails, each of its events is tried alone, so that one holds up no other. */
async function relayPage(deps: RelayDependencies, tenant: Tenant, size: number): Promise<RelayedPage> {
  try {
    return await deps.db.withEnvironment(tenant, (tx) => take(tx, tenant, size, deps));
  } catch (error) {
    if (size === 1) {
      deps.logger.error({ ...tenant, err: error }, 'a platform event could not be relayed: trying again in a minute');
      await deps.db.withEnvironment(tenant, (tx) => putOffRaisedEvent(tx));
      return { relayed: 1, followUps: [] };
    }
    const page: RelayedPage = { relayed: 0, followUps: [] };
    while (page.relayed < size) {
      const { relayed, followUps } = await relayPage(deps, tenant, 1);
      if (relayed === 0) break;
      page.relayed++;
      page.followUps.push(...followUps);
    }
    return page;
  }
}

async function take(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  size: number,
  deps: RelayDependencies,
): Promise<RelayedPage> {
  const events = await lockRaisedEvents(tx, size);
  const followUps: FollowUp[] = [];
  if (events.length > 0) {
    for (const consume of CONSUMERS) followUps.push(...(await consume(tx, tenant, events, deps)));
    await deleteRaisedEvents(tx, events);
  }
  return { relayed: events.length, followUps };
}
