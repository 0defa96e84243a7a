import type { Tenant } from '../../db/client.ts';
import { findHeldEnvironments } from '../../db/messages/directory.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Resumes the messages of environments whose halt has ended and that nobody has woken: the API process may have died between the commit
 * of the resumption and its start, or Temporal was away. A resumption that runs is left alone.
 */
export function heldMessages(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<Tenant, 'resumeMessages'> {
  return {
    find: (deps, page) => findHeldEnvironments(deps.db, { olderThanSeconds, ...page }),
    idOf: ({ environmentId }) => environmentId,
    mend: (deps, tenants) => Promise.all(tenants.map((tenant) => deps.resumeMessages(tenant))),
    batchSize: 1,
  };
}
