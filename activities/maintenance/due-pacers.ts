import type { Tenant } from '../../db/client.ts';
import { findDuePacers } from '../../db/messages/directory.ts';
import type { SweepArea } from './sweep-rows.ts';

/** Longer than the time between two sweeps: a pacer that was terminated, or never started, is back before a message is due. */
const DUE_WITHIN_SECONDS = 120;

/** Starts the pacers of environments in which a scheduled message is due soon, or tells those that run to look. */
export function duePacers(dueWithinSeconds = DUE_WITHIN_SECONDS): SweepArea<Tenant, 'paceMessages'> {
  return {
    find: (deps, page) => findDuePacers(deps.db, { dueWithinSeconds, ...page }),
    idOf: ({ environmentId }) => environmentId,
    mend: (deps, tenants) =>
      Promise.all(tenants.map(({ workspaceId, environmentId }) => deps.paceMessages({ workspaceId, environmentId }))),
    batchSize: 1,
    atOnce: 10,
  };
}
