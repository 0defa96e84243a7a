import { FairSlots } from '../../../domain/fair-slots.ts';
import { workspaceOfCall } from '../watchdog.ts';
import { systemResolve, type Resolve } from './resolve.ts';

/** No call takes longer: its own deadline, which is shorter, ends the wait for a turn. */
const WAIT_MS_MAX = 600_000;
/** The calls in flight bound the number of waiting look-ups: the slots of a worker, and the imports under way. */
const WAITING_MAX = 100_000;
/** Look-ups outside of any workspace's call. */
const NOBODY = '';

export interface LookupSlots {
  slots: number;
  slotsAWorkspaceMax: number;
}

/**
 * The tenants' share of a process's look-ups: `getaddrinfo` blocks a thread, and libuv runs at most half of its threads
 * at once. A quarter of that stays for the service's own names; a workspace has a third of the rest, at least one.
 */
export function lookupSlotsOf(threads: number): LookupSlots {
  const atOnce = Math.ceil(threads / 2);
  const slots = Math.max(1, Math.floor(atOnce * 0.75));
  return { slots, slotsAWorkspaceMax: Math.max(1, Math.floor(slots / 3)) };
}

/**
 * The operating system's resolver (it alone knows /etc/hosts and the search domains), with a cap for each workspace and
 * turns between them. A hanging `getaddrinfo` holds its thread past its call's deadline, so a slot is held until the
 * look-up ends. A call without a turn by its deadline is not sent. Make one for a process.
 */
export function resolveInTurn(lookups: LookupSlots, resolve: Resolve = systemResolve): Resolve {
  const slots = new FairSlots({
    slots: lookups.slots,
    slotsAnOwnerMax: lookups.slotsAWorkspaceMax,
    waitingMax: WAITING_MAX,
    waitingAnOwnerMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
  });
  return (hostname, signal) => slots.run(workspaceOfCall() ?? NOBODY, () => resolve(hostname), signal);
}
